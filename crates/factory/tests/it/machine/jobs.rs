//! The number of jobs bounds how much is in progress, and changes nothing but the time that it takes.

use super::stories::{Begins, People, Story, calm, subject, tell};
use crate::project::task;
use crate::said;
use crate::world::{Project, Script};
use factory::project::Declared;
use kernel::Machine;
use proptest::prelude::*;
use serde_json::Value;

fn random_story() -> impl Strategy<Value = Story> {
    (2..9usize, any::<u64>()).prop_map(|(size, seed)| {
        let mut state = seed;
        let mut draw = |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        const IDS: [&str; 8] = [
            "T-a-001", "T-a-002", "T-a-003", "T-a-004", "T-a-005", "T-a-006", "T-a-007", "T-a-008",
        ];
        let mut story = Story {
            tasks: Vec::new(),
            script: Script::default(),
            people: People::default(),
            begins: Begins::WithTasks,
            end: Vec::new(),
        };
        for (at, id) in IDS.into_iter().enumerate().take(size) {
            let on: Vec<&str> = (0..at).filter(|_| draw(3) == 0).map(|of| IDS[of]).collect();
            story.tasks.push(task(id, &on));
            story
                .people
                .plan
                .insert(id, vec!["APPROVE_OVERRIDE", "AMEND_SPEC"]);
            match draw(5) {
                0 => story.script = story.script.rejects(id),
                1 => story.script = story.script.breaks(&subject(id), "black_box_tests", 1),
                2 => {
                    story.script =
                        story
                            .script
                            .says(&subject(id), "challenge", 1, said::fail(&["R5"]));
                }
                _ => {}
            }
        }
        story
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..Default::default() })]

    #[test]
    fn s6_5_independent_tasks_in_parallel_end_as_one_by_one(
        story in random_story(),
        jobs in 2..5u32,
        order in any::<u64>(),
    ) {
        let serial = calm(&story, 1);
        let mut parallel = Project::new(&story.tasks, jobs, story.script.clone());
        let mut state = order;
        tell(&mut parallel, &mut story.people.clone(), |most| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % most
        });
        let tasks = |project: &Project| {
            let mut view = project.machine.state_machine()["tasks"].clone();
            for one in view.as_object_mut().unwrap().values_mut() {
                one["shipped_at"] = Value::Null;
            }
            view
        };
        prop_assert_eq!(tasks(&parallel), tasks(&serial));
        let modules = |project: &Project| -> Vec<(String, String)> {
            let all = project.machine.registry().iter();
            all.map(|one| (one.reference.to_string(), one.fingerprint.clone())).collect()
        };
        prop_assert_eq!(modules(&parallel), modules(&serial));
    }
}

#[test]
fn s3_3_jobs_bound_how_many_tasks_are_in_progress() {
    let tasks: Vec<Declared> = (1..=6).map(|n| task(&format!("T-a-{n:03}"), &[])).collect();
    for jobs in [1, 3] {
        let project = Project::new(&tasks, jobs, Script::default());
        let busy = project.machine.tasks().in_progress().count();
        assert_eq!(busy, jobs as usize);
        assert_eq!(project.machine.wanted().len(), jobs as usize);
    }
}
