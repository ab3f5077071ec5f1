//! What a challenge must judge (rule F9.4), and what makes a module micro (F10.4), as roles read it.

/// The evaluation rubric: id, name, and what is checked.
pub const EVALUATION: [(&str, &str, &str); 6] = [
    (
        "R1",
        "Contract conformance",
        "The implementation satisfies all five dimensions of the contract: inputs, outputs, error surfaces, effects and modes. Name each of the five in the evidence; an omitted one is NOT_MET.",
    ),
    (
        "R2",
        "Test coverage",
        "At least one test for each input constraint, each output invariant and each error surface, and one happy path; all black-box.",
    ),
    (
        "R3",
        "Error handling completeness",
        "Every declared error surface is handled, and no reachable error path is undeclared.",
    ),
    (
        "R4",
        "Dependency usage",
        "Dependencies are used through their published contracts only, and their fingerprints match the locked versions.",
    ),
    (
        "R5",
        "Acceptance criteria",
        "Each acceptance check can be traced to a test, an assertion or an output. A claim alone is NOT_MET.",
    ),
    (
        "R6",
        "Decomposition compliance",
        "The module is micro by the decomposition rubric.",
    ),
];

/// What the assembly of a product is held to in the place of the decomposition rubric.
pub const ASSEMBLY: [&str; 4] = [
    "it stands at the front of the product: one entry of its own, with a contract, tests and examples like every module's",
    "beside that it may hand on public names of the modules that it depends on, each written out; whatever else is public is refused",
    "it is one module, and depends on shipped modules only, through their contracts; it wires them and converts their types and errors",
    "what is new behaviour beyond that is a task of its own",
];

/// The decomposition rubric.
pub const DECOMPOSITION: [&str; 4] = [
    "it can be described as a single input→output behavior in one sentence",
    "it introduces at most one public contract surface",
    "it can be shipped independently (tests are local and black-box)",
    "it has clear dependencies (only via contracts)",
];
