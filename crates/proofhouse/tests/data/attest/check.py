"""An attestation and a public key, checked by securesystemslib and in-toto-attestation alone."""
import json
import sys
from cryptography.hazmat.primitives.serialization import load_ssh_public_key
from google.protobuf.json_format import Parse
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey
from in_toto_attestation.v1.statement_pb2 import Statement
from in_toto_attestation.v1 import statement as st
from in_toto_attestation.predicates.vsa.v1.vsa_pb2 import VerificationSummary
from in_toto_attestation.predicates.link.v0.link_pb2 import Link
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
key = SSlibKey.from_crypto(load_ssh_public_key(open(sys.argv[2], "rb").read()))
forms = {"https://slsa.dev/verification_summary/v1": VerificationSummary, "https://in-toto.io/attestation/link/v0.3": Link, "https://in-toto.io/attestation/test-result/v0.1": TestResult}
whole = open(sys.argv[1], "rb").read()


def checked(bundle):
    """The kinds of all statements, or an exception."""
    seen = set()
    for line in bundle.decode().splitlines():
        env = Envelope.from_dict(json.loads(line))
        env.verify([key], 1)
        s = Parse(env.payload, Statement())
        st.Statement.copy_from_pb(s).validate()
        kind = s.predicate_type
        seen.add(kind)
        if kind in forms:
            said = json.loads(env.payload)["predicate"]
            # SLSA has a list here; the package (0.9.3) has one text.
            said.pop("verifiedLevels", None)
            Parse(json.dumps(said), forms[kind]())
    assert set(forms) <= seen, seen
    return seen


def meant(bundle):
    """What is in the envelopes; base64 can be written in more than one way, and Python reads them all."""
    envelopes = [Envelope.from_dict(json.loads(line)) for line in bundle.decode().splitlines()]
    return [(e.payload, e.payload_type, [bytes.fromhex(s.signature) for s in e.signatures.values()], list(e.signatures)) for e in envelopes]


print("verified", len(checked(whole)), "kinds by securesystemslib and in-toto-attestation")
refused, at = 0, 0
while refused < 50:
    at = (at + len(whole) // 50 + 7) % len(whole)
    flipped = bytearray(whole)
    flipped[at] ^= 1
    try:
        if meant(bytes(flipped)) == meant(whole):
            continue
        checked(bytes(flipped))
    except Exception:
        refused += 1
        continue
    sys.exit(f"byte {at} could be flipped")
print("refused", refused, "flipped bytes")
