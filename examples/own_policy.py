"""A policy of one's own, from a TOML file, beside the preset that it extends and the default one."""

from pathlib import Path

import secateur

HERE = Path(__file__).parent


def main() -> None:
    request = (HERE.parent / "sessions" / "openai_chat.json").read_bytes()
    for policy in ("kilocode", "balance", str(HERE / "careful.toml")):
        receipt = secateur.fit(request, policy=policy).receipt
        kept = receipt.tokens_view / receipt.tokens_raw
        print(f"{receipt.policy:10} {kept:4.0%} of {receipt.tokens_raw:,} tokens stay, {len(receipt.edits)} edits")


if __name__ == "__main__":
    main()
