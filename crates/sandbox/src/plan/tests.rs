//! Plans for machines that lack something.

use super::*;
use crate::Endpoint;

fn whole() -> Machine {
    Machine {
        landlock: 7,
        seccomp: Ok(()),
        notices: Ok(()),
        namespaces: Ok(Through::Privilege),
        mount: Ok(()),
        pid: Ok(()),
        network: Ok(()),
        processes: Ok(Counting::PidNamespace),
    }
}

fn without_namespaces(landlock: u32) -> Machine {
    Machine {
        landlock,
        namespaces: Err(Lacking::Because("EPERM")),
        processes: Err(Lacking::Because("no way to count")),
        ..whole()
    }
}

fn policy(network: Network) -> Policy {
    Policy {
        network,
        ..Policy::confined(["/a"], ["/b"])
    }
}

fn refused(policy: &Policy, machine: &Machine) -> String {
    let error = Plan::of(policy, machine).unwrap_err();
    assert_eq!(error.code(), "sandbox_unavailable");
    error.to_string()
}

#[test]
fn a_whole_machine_holds_everything() {
    let mut policy = policy(Network::Endpoints(vec![Endpoint::new("h", 1)]));
    policy.bounds.processes = Some(5);
    let plan = Plan::of(&policy, &whole()).unwrap();
    assert_eq!(plan.route, Route::ProxyInNamespace);
    assert!(plan.missing.is_empty() && plan.notes.is_empty());
    assert!(plan.holds(Layer::Proxy) && plan.holds(Layer::ProcessLimit));
    assert!(!plan.holds(Layer::UserNamespace));
}

#[test]
fn what_is_not_recorded_is_said_and_refuses_nothing() {
    let endpoints = policy(Network::Endpoints(Vec::new()));
    let recording = |policy, machine: &Machine| Plan::of(policy, machine).unwrap().recording;
    assert_eq!(recording(&endpoints, &whole()), Recording::Kept);
    let open = policy(Network::Full);
    assert_eq!(recording(&open, &whole()), Recording::NothingToRecord);
    let old = Machine {
        notices: Err(Lacking::Because("EINVAL")),
        ..whole()
    };
    let Recording::CannotKnow(why) = recording(&endpoints, &old) else {
        panic!("it cannot know");
    };
    assert!(why.contains("EINVAL"), "{why}");
    assert_eq!(recording(&open, &old), Recording::NothingToRecord);
}

#[test]
fn landlock_stands_in_for_namespaces_and_says_what_is_less() {
    let machine = without_namespaces(7);
    let plan = Plan::of(&policy(Network::None), &machine).unwrap();
    assert_eq!(plan.route, Route::Closed);
    assert!(!plan.holds(Layer::MountNamespace) && plan.notes.len() == 1);
    let endpoints = policy(Network::Endpoints(Vec::new()));
    let plan = Plan::of(&endpoints, &machine).unwrap();
    assert_eq!(plan.route, Route::ProxyByLandlock);
    assert!(refused(&policy(Network::Loopback), &machine).contains("EPERM"));
}

#[test]
fn what_nothing_holds_is_refused_by_name() {
    assert!(refused(&policy(Network::Full), &without_namespaces(2)).contains("files"));
    assert!(refused(&policy(Network::Full), &without_namespaces(5)).contains("signals"));
    let endpoints = policy(Network::Endpoints(Vec::new()));
    assert!(refused(&endpoints, &without_namespaces(3)).contains("endpoints only"));
    let mut counted = policy(Network::Full);
    counted.bounds.processes = Some(9);
    assert!(refused(&counted, &without_namespaces(7)).contains("no way to count"));
    let blind = Machine {
        seccomp: Err(Lacking::Because("EINVAL")),
        ..whole()
    };
    assert!(refused(&policy(Network::None), &blind).contains("system calls"));
}

#[test]
fn a_waiver_lets_it_start_and_keeps_the_list() {
    let mut waived = policy(Network::None);
    waived.enforcement = Enforcement::Waived { by: "ann".into() };
    let plan = Plan::of(&waived, &without_namespaces(0)).unwrap();
    assert_eq!(plan.missing.len(), 2);
    assert!(!plan.holds(Layer::MountNamespace) && plan.landlock() == 0);
}
