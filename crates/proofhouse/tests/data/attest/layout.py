"""Links of a run, a public key and the names of states: verified by in-toto against a layout of these steps."""
import json
import sys

from cryptography.hazmat.primitives.serialization import load_ssh_public_key
from in_toto.models.layout import Layout, Step
from in_toto.models.metadata import Envelope
from in_toto.verifylib import in_toto_verify
from securesystemslib.signer import CryptoSigner, SSlibKey

folder, public, states = sys.argv[1], sys.argv[2], sys.argv[3:]
key = SSlibKey.from_crypto(load_ssh_public_key(open(public, "rb").read()))
layout = Layout()
layout.set_relative_expiration(days=1)
layout.keys = {key.keyid: {"keyid": key.keyid, **key.to_dict()}}
for state in states:
    step = Step(name=state)
    step.pubkeys = [key.keyid]
    step.threshold = 1
    step.expected_products = [["REQUIRE", f"gate/{state}"], ["ALLOW", "*"]]
    layout.steps.append(step)
owner = CryptoSigner.generate_ed25519()
envelope = Envelope.from_signable(layout)
envelope.create_signature(owner)
owners = {owner.public_key.keyid: {"keyid": owner.public_key.keyid, **owner.public_key.to_dict()}}
in_toto_verify(envelope, owners, link_dir_path=folder)
print("verified", len(states), "steps by in-toto")
