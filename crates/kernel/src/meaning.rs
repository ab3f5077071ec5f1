//! What the answers do that people give to any run, a line each: the one table of it. What a workflow's own
//! ways do, its file says.

use crate::position::{Hold, LOOK_AGAIN, LOWER, STOP};

/// What an answer does to a run that stands still for this reason; none if no hold knows it.
pub fn meaning(hold: Option<&Hold>, option: &str) -> Option<String> {
    let text = match (hold, option) {
        (_, STOP) => "ends the run for good; what it made is kept".to_owned(),
        (_, LOWER) => "gives up `auto`: you approve what completes the run".to_owned(),
        (Some(Hold::Approval { to, .. }), "approve") => format!("lets the run reach `{to}`"),
        (Some(Hold::Approval { .. }), "reject") => {
            "sends it back as not good enough, with your reason in the next brief".to_owned()
        }
        (Some(Hold::Step), "continue") => "goes on with what comes next".to_owned(),
        (Some(Hold::Stall), "continue") => {
            "lets the agent try once more, with your reason in its brief".to_owned()
        }
        (Some(Hold::Budget { name }), "extend") => {
            format!("grants as much of `{name}` again, and goes on")
        }
        (Some(Hold::Budget { .. }), LOOK_AGAIN) => {
            "has the checks run once more on the work as it is; nobody works for it".to_owned()
        }
        (Some(Hold::Trouble), "retry") => "tries once more what could not be done".to_owned(),
        _ => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ActionName, CounterName, StateName};

    #[test]
    fn every_answer_to_a_hold_says_what_it_does() {
        let holds = [
            Hold::Approval {
                action: ActionName::from("pass"),
                to: StateName::from("done"),
            },
            Hold::Step,
            Hold::Budget {
                name: CounterName::from("passes"),
            },
            Hold::Stall,
            Hold::Risk,
            Hold::Trouble,
        ];
        for hold in &holds {
            for option in hold.options().iter().chain(&[STOP]) {
                assert!(meaning(Some(hold), option).is_some(), "{hold:?} {option}");
            }
        }
    }
}
