//! A case of the product as a person puts it right after the spec was approved: another input, or another
//! end. What it shows stays, so that every story and criterion is still shown.

use super::{Case, Product, ProductForm, called};
use kernel::document;
use kernel::exam::{Claim, Step};
use kernel::form::{FILLED, Form as Shape, Formed, Size, TEXT};
use std::collections::BTreeSet;

document! {
    /// A case of the product with what is changed in it; what is left out stays.
    #[derive(Eq)]
    pub struct AmendedCase as "AmendedCase" {
        /// Which one, by its number, from 1.
        case: usize = Shape::Count(1),
        /// What it reads on standard input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given?: Option<String> = TEXT,
        /// What it prints; then it refuses nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prints?: Option<String> = TEXT,
        /// What it refuses with; then it prints nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refuses?: Option<String> = FILLED,
        /// Of a library: the calls, all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        steps?: Option<Vec<Step>> = Shape::List(&Step::FORM, Size::SOME),
        /// Of a library: what must hold of the answers, all of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holds?: Option<Vec<Claim>> = Shape::List(&Claim::FORM, Size::SOME),
    }
}

impl AmendedCase {
    /// A case as it stands, to be edited.
    pub(crate) fn as_it_is(number: usize, case: &Case) -> Self {
        Self {
            case: number,
            given: case.steps.is_empty().then(|| case.given.clone()),
            prints: case.prints.clone(),
            refuses: case.refuses.clone(),
            steps: (!case.steps.is_empty()).then(|| case.steps.clone()),
            holds: (!case.holds.is_empty()).then(|| case.holds.clone()),
        }
    }

    fn on(&self, case: &Case) -> Case {
        let mut new = case.clone();
        if let Some(given) = &self.given {
            new.given.clone_from(given);
        }
        if self.prints.is_some() || self.refuses.is_some() {
            new.prints.clone_from(&self.prints);
            new.refuses.clone_from(&self.refuses);
        }
        if let Some(steps) = &self.steps {
            new.steps.clone_from(steps);
        }
        if let Some(holds) = &self.holds {
            new.holds.clone_from(holds);
        }
        new
    }
}

/// Puts cases right. What names none of them changes nothing.
pub fn amend(cases: &mut [Case], amended: &[AmendedCase]) {
    for one in amended {
        let at = one.case.checked_sub(1);
        if let Some(case) = at.and_then(|at| cases.get_mut(at)) {
            *case = one.on(case);
        }
    }
}

/// Those that change something.
pub(crate) fn changing(cases: &[Case], amended: &[AmendedCase]) -> Vec<AmendedCase> {
    let changes = |one: &&AmendedCase| {
        let case = one.case.checked_sub(1).and_then(|at| cases.get(at));
        case.is_some_and(|case| one.on(case) != *case)
    };
    amended.iter().filter(changes).cloned().collect()
}

/// Everything that is wrong with them, each with its place in the payload.
pub(crate) fn faults(product: &Product, amended: &[AmendedCase]) -> Vec<String> {
    let cases = &product.cases;
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, one) in amended.iter().enumerate() {
        let place = format!("amended_cases[{at}]");
        if !(1..=cases.len()).contains(&one.case) {
            let (number, all) = (one.case, cases.len());
            found.push(format!(
                "`{place}.case` is {number}, and the product's cases have the numbers 1 to {all}"
            ));
        }
        if !seen.insert(one.case) {
            found.push(format!("`{place}.case` is there twice"));
        }
        if one.prints.is_some() && one.refuses.is_some() {
            found.push(format!("`{place}` either `prints` or `refuses`"));
        }
        match (
            product.form,
            one.case.checked_sub(1).and_then(|at| cases.get(at)),
        ) {
            (ProductForm::Library, Some(case)) => {
                let wrong = called::faults(&one.on(case), product.language, &place);
                let wrong = wrong.into_iter();
                found.extend(wrong.map(|one| format!("`{}`: {}", one.whole_path(), one.message)));
            }
            _ if one.steps.is_some() || one.holds.is_some() => {
                found.push(format!("`{place}`: `steps` and `holds` are a library's"));
            }
            _ => {}
        }
    }
    found
}
