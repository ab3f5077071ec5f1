//! Rules F5, F6 and F8: contributions, context packs, envelopes, ids and statuses.

use crate::documents::broken;
use factory::artifact::ArtifactType;
use factory::ids;
use serde_json::json;

#[test]
fn s5_2_contributions() {
    assert_eq!(
        broken("Contribution", |c| c["contribution_id"] = json!("C-1")),
        ["bad_id $.contribution_id"]
    );
    assert_eq!(
        broken("Contribution", |c| c["task_ref"] = json!("TSK-001")),
        ["bad_id $.task_ref"]
    );
    assert_eq!(
        broken("Contribution", |c| c["context_pack_ref"] = json!("CP-1")),
        ["bad_id $.context_pack_ref"]
    );
    assert!(broken("Contribution", |c| c["type"] = json!("POEM"))[0].starts_with("wrong_shape"));
}

#[test]
fn s5_3_context_packs() {
    assert_eq!(
        broken("ContextPack", |c| c["default_permission"] = json!("FULL")),
        ["wrong_default $.default_permission"]
    );
    assert_eq!(
        broken("ContextPack", |c| c["included_refs"][0]["ref"] =
            json!("MM-0001")),
        ["bad_reference $.included_refs[0].ref"]
    );
    assert_eq!(
        broken("ContextPack", |c| c["excluded_refs"][0]["reason"] =
            json!("")),
        ["empty_field $.excluded_refs[0].reason"]
    );
    let twice = broken("ContextPack", |c| {
        c["excluded_refs"][0]["ref"] = json!("MM-0002@1.0.0")
    });
    assert_eq!(twice, ["listed_twice $.excluded_refs[0].ref"]);
}

#[test]
fn s8_1_thirteen_types_and_no_other() {
    assert_eq!(ArtifactType::ALL.len(), 13);
    assert!(
        broken("ArtifactEnvelope", |a| a["artifact_type"] = json!("MEMO"))[0]
            .starts_with("wrong_shape")
    );
}

#[test]
fn s8_2_artifact_ids() {
    for artifact in ArtifactType::ALL {
        let id = artifact.id().to_string().replace("xxxxxxxx", "00ab12f0");
        assert_eq!(ArtifactType::of_id(&id), Some(artifact), "{id}");
    }
    // The document's own examples have letters beyond f; the regex is right.
    for bad in [
        "CTR-e5f6g7h8",
        "CTR-e5f60718a",
        "CTR-E5F60718",
        "ctr-e5f60718",
        "XX-e5f60718",
        "SPEC-001",
        "CTR-",
        "CTR_e5f60718",
        "CTR-e5f60718\n",
    ] {
        assert_eq!(ArtifactType::of_id(bad), None, "{bad}");
    }
    assert!(ids::SPEC.accepts("SPEC-001") && !ids::SPEC.accepts("SPEC-p6q7r8s9"));
    assert_eq!(
        broken("ArtifactEnvelope", |a| a["artifact_id"] =
            json!("MP-e5f60718")),
        ["bad_id $.artifact_id"]
    );
    let long = format!("MM-{}", "x".repeat(126));
    assert_eq!(
        broken("MicroModuleContract", |c| c["module_id"] = json!(long)),
        ["id_too_long $.module_id"]
    );
}
