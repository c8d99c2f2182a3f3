"""Keys of model providers, of services round them, and of observability."""

from __future__ import annotations

from hypermnesia.privacy.rule import Check, Rule, has_digit, token, whole

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def provider(
    name: str,
    keywords: tuple[str, ...],
    pattern: str,
    *matches: str,
    floor: float = 2.5,
    check: Check | None = None,
    misses: tuple[str, ...] = (),
) -> Rule:
    """A key that opens an account by itself; where it is found, the text is refused."""
    return Rule(
        name,
        "provider",
        keywords,
        pattern,
        floor=floor,
        check=check,
        live=True,
        matches=matches,
        misses=misses,
    )


MODELS: tuple[Rule, ...] = (
    provider("anthropic-key", ("sk-ant-",), token(r"sk-ant-[\w-]{16,}"), "«sk-ant-api03-<w93>»"),
    provider("openrouter-key", ("sk-or-v1-",), token(r"sk-or-v1-[0-9a-f]{32,}"), "«sk-or-v1-<h64>»"),
    provider("langfuse-key", ("sk-lf-",), token(rf"sk-lf-{_UUID}"), "«sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>»"),
    provider("helicone-key", ("sk-helicone-", "pk-helicone-"), token(r"[sp]k-helicone-[\w-]{20,}"),
         "«sk-helicone-<w7>-<w7>-<w7>-<w7>»"),
    provider(
        "openai-key",
        ("sk-", "sess-"),
        token(
            r"sk-(?:proj|svcacct|admin|service|None|[a-z]{2,12})-[\w-]{20,}|sk-[A-Za-z0-9]{16,}|sess-[A-Za-z0-9]{32,}"
        ),
        "«sk-<w48>»",
        "the key is «sk-proj-<w120>».",
        "«sk-svcacct-<w80>»",
        floor=3.0,
        check=has_digit,
        misses=("task-<w30>", "sk-xxxx", "sk-learn-contrib-module-for-tests"),
    ),
    provider("elevenlabs-key", ("sk_",), whole(r"sk_[0-9a-f]{48}"), "«sk_<h48>»"),
    provider("groq-key", ("gsk_",), token(r"gsk_[A-Za-z0-9]{30,}"), "«gsk_<w52>»"),
    provider("xai-key", ("xai-",), token(r"xai-[A-Za-z0-9]{40,}"), "«xai-<w80>»"),
    provider("perplexity-key", ("pplx-",), token(r"pplx-[A-Za-z0-9]{30,}"), "«pplx-<w48>»"),
    provider("replicate-token", ("r8_",), token(r"r8_[A-Za-z0-9]{30,}"), "«r8_<w37>»"),
    provider("fireworks-key", ("fw_",), token(r"fw_[A-Za-z0-9]{20,}"), "«fw_<w24>»", floor=3.2),
    provider("together-key", ("tgp_v1_",), token(r"tgp_v1_[\w-]{30,}"), "«tgp_v1_<w43>»"),
    provider("cerebras-key", ("csk-",), token(r"csk-[a-z0-9]{30,}"), "«csk-<h48>»"),
    provider("voyage-key", (), token(r"pa-[\w-]{40,}"), "«pa-<w43>»", floor=3.8),
    provider("jina-key", ("jina_",), token(r"jina_[A-Za-z0-9]{32,}[\w-]*"), "«jina_<w60>»"),
    provider("nvidia-key", ("nvapi-",), token(r"nvapi-[\w-]{40,}"), "«nvapi-<w64>»"),
    provider("anyscale-key", ("esecret_",), token(r"esecret_[A-Za-z0-9]{20,}"), "«esecret_<w24>»"),
    provider(
        "huggingface-token",
        ("hf_", "api_org_"),
        token(r"(?:hf|api_org)_[A-Za-z0-9]{20,}"),
        "«hf_<w34>»",
        "«api_org_<w34>»",
        misses=("hf_transfer_enabled_for_downloads",),
    ),
    provider("langsmith-key", ("lsv2_",), token(r"lsv2_(?:pt|sk)_\w{30,}"), "«lsv2_pt_<h32>_<h10>»"),
    provider("pinecone-key", ("pcsk_",), token(r"pcsk_\w{30,}"), "«pcsk_<w6>_<w60>»"),
    provider("tavily-key", ("tvly-",), token(r"tvly-[\w-]{24,}"), "«tvly-<w32>»", "«tvly-dev-<w32>»"),
    provider("firecrawl-key", ("fc-",), whole(r"fc-[0-9a-f]{32}"), "«fc-<h32>»"),
    provider("e2b-key", ("e2b_",), token(r"e2b_[0-9a-f]{32,}"), "«e2b_<h40>»"),
    provider("apify-token", ("apify_api_",), token(r"apify_api_[A-Za-z0-9]{30,}"), "«apify_api_<w36>»"),
    provider("wandb-key", ("wandb_v1_",), token(r"wandb_v1_\w{30,}"), "«wandb_v1_<w60>»"),
    provider("logfire-token", ("pylf_v1_",), token(r"pylf_v1_[a-z]{2,8}_[A-Za-z0-9]{30,}"),
         "«pylf_v1_us_<w43>»"),
    # observability
    provider("grafana-token", ("glsa_", "glc_"), token(r"glsa_\w{20,}|glc_[A-Za-z0-9+/]{30,}={0,2}"),
         "«glsa_<w32>_<h8>»", "«glc_<b80>»"),
    provider("sentry-token", ("sntry",), token(r"sntry[su]_[\w+/=-]{40,}"), "«sntryu_<h64>»",
         "«sntrys_<b120>»"),
    provider("newrelic-key", ("NRAK-", "NRII-", "NRJS-", "NRRA-", "NRAA-", "NRAL"),
         token(r"NR(?:AK|II|JS|RA|AA)-[\w-]{19,}|[0-9a-f]{36}NRAL"), "«NRAK-<u27>»",
         "«NRII-<w32>»", "«<h36>NRAL»"),
    provider("dynatrace-token", ("dt0c01.", "dt0s"), token(r"dt0[cs]\d\d\.[A-Z0-9]{8,}\.[A-Z0-9]{40,}"),
         "«dt0c01.<u24>.<u64>»"),
    provider("honeycomb-key", ("hcaik_", "hcxik_", "hcamk_", "hcxmk_"),
         token(r"hc[ax][im]k_[a-z0-9]{20,}"), "«hcaik_<h58>»"),
    provider("axiom-token", ("xaat-", "xapt-"), token(rf"xa[ap]t-{_UUID}"),
         "«xaat-<h8>-<h4>-<h4>-<h4>-<h12>»"),
    provider("posthog-key", ("phx_", "phs_"), token(r"ph[xs]_[A-Za-z0-9]{30,}"), "«phx_<w43>»"),
    provider("launchdarkly-key", (), whole(rf"(?:sdk|api)-{_UUID}"),
         "«sdk-<h8>-<h4>-<h4>-<h4>-<h12>»"),
    provider("statsig-key", (), token(r"(?:secret|console)-[A-Za-z0-9]{40,}"),
         "«secret-<w44>»", floor=3.8),
)  # fmt: skip
