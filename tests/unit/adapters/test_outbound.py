"""Calls to other hosts: no proxy for this machine, and what cannot be used or reached is named."""

import socket
import ssl
from collections.abc import Callable

import httpx2
import pytest

from selfrag.adapters.chat import ChatModel
from selfrag.adapters.claude.sdk import SdkClaude
from selfrag.adapters.converse import ConverseModel
from selfrag.adapters.langfuse import Langfuse
from selfrag.adapters.otlp import Collector
from selfrag.adapters.outbound import checked_url, http_client_for, unreachable_error
from selfrag.adapters.tavily import Tavily
from selfrag.domain.errors import Misconfigured, TemporarilyUnavailable
from selfrag.domain.questions import AskRequest
from selfrag.runtime.decider_settings import DeciderSettings
from selfrag.runtime.settings import Settings, read
from selfrag_cli.deployment.remote import ask_remote
from tests.support.doubles.model_server import ModelServer

PASSWORD = "hunter2"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme in ("HTTP", "HTTPS", "ALL", "NO"):
        monkeypatch.delenv(f"{scheme}_PROXY", raising=False)
        monkeypatch.delenv(f"{scheme}_proxy".lower(), raising=False)


def broken(error: Exception, cause: Exception | None = None) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy", "HTTP_PROXY"])
@pytest.mark.parametrize("url", ["http://127.0.0.1:1234", "http://localhost:1234/v1", "http://[::1]:1234"])
def test_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch, variable: str, url: str) -> None:
    monkeypatch.setenv(variable, "socks5://127.0.0.1:9")
    with http_client_for(url) as client:
        assert client.trust_env is False


@pytest.mark.parametrize(
    ("variable", "proxy", "words"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:9", "ALL_PROXY names a SOCKS proxy"),
        ("https_proxy", f"socks5h://me:{PASSWORD}@127.0.0.1:9", "HTTPS_PROXY names a SOCKS proxy"),
        ("ALL_PROXY", f"ftp://me:{PASSWORD}@127.0.0.1", "ALL_PROXY names a proxy of the kind ftp"),
    ],
)
def test_a_proxy_that_cannot_be_used_for_another_host_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, proxy: str, words: str
) -> None:
    monkeypatch.setenv(variable, proxy)
    with pytest.raises(Misconfigured, match=words) as raised:
        http_client_for("https://api.example.com")
    assert "unset it or name an http proxy" in str(raised.value)
    assert PASSWORD not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    ["notaurl", "api.example.com", "ftp://x", "http://", "https:///v1", "http://a b", "http://h:x", "http://[::1"],
)
def test_invalid_url_names_its_setting(url: str) -> None:
    with pytest.raises(Misconfigured, match="THE_URL is not a URL"):
        checked_url(url, "THE_URL")
    assert isinstance(unreachable_error(httpx2.UnsupportedProtocol("no protocol"), url), Misconfigured)


def connect_by_environment(url: str, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setenv("ANTHROPIC_BEDROCK_BASE_URL", url)
    return SdkClaude.connect(Settings(model_provider="bedrock"), "", "eu-west-1")


PLAIN = ["http://api.example.com/v1", "HTTP://gpu.lan", "http://10.1.2.3:11434/v1", "http://[fd00::1]:8000"]


@pytest.mark.parametrize("url", [*PLAIN, "http://127.0.0.1@evil.example", "http://localhost.example", "http://8.8.8.8"])
def test_plain_http_is_limited_to_this_machine_and_named_private_hosts(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses: list[Callable[[], object]] = [
        lambda: ChatModel.connect(Settings(model="m", model_url=url), "k"),
        lambda: SdkClaude.connect(Settings(model_base_url=url), "k"),
        lambda: connect_by_environment(url, monkeypatch),
        lambda: ConverseModel.connect(Settings(model_base_url=url), "", "eu-west-1"),
        lambda: Tavily(httpx2.Client(), url, "k", 1.0, None),
        lambda: Collector(url, {}),
        lambda: Langfuse(url, "public:secret"),
        lambda: read(DeciderSettings, decider_url=url, decider_model="m", decider_window_tokens=1000),
        lambda: ask_remote(AskRequest(question="Why?"), url.lower(), "k"),
    ]
    for use in uses:
        with pytest.raises(Misconfigured, match="SELFRAG_PLAIN_HTTP_HOSTS"):
            use()
    monkeypatch.setenv("SELFRAG_PLAIN_HTTP_HOSTS", "api.example.com, gpu.lan,10.1.2.3,[fd00::1],8.8.8.8")
    for use in uses[:-1]:
        if url in PLAIN:
            use()
        else:
            with pytest.raises(Misconfigured, match="SELFRAG_PLAIN_HTTP_HOSTS"):
                use()


def test_a_base_url_that_is_refused_is_not_repeated() -> None:
    with pytest.raises(Misconfigured) as raised:
        checked_url(f"ftp://me:{PASSWORD}@api.example.com", "THE_URL")
    assert PASSWORD not in str(raised.value)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (broken(httpx2.ConnectError("x"), ConnectionRefusedError(111, "Connection refused")), "connection refused"),
        (broken(httpx2.ConnectError("x"), OSError(113, "No route to host")), "no route to host"),
        (broken(httpx2.ConnectError("x"), socket.gaierror(-2, "Name or service not known")), "DNS"),
        (broken(httpx2.ConnectError("x"), ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version")), "TLS failed"),
        (httpx2.ProxyError("407 Proxy Authentication Required"), "the proxy refused"),
        (httpx2.ConnectTimeout("x"), "no reply in time"),
        (httpx2.RemoteProtocolError("Server disconnected"), "RemoteProtocolError"),
    ],
)
def test_an_unreachable_host_is_named_with_its_port_and_what_happened(error: Exception, kind: str) -> None:
    told = unreachable_error(error, f"https://me:{PASSWORD}@api.example.com/v1?key={PASSWORD}")
    assert isinstance(told, TemporarilyUnavailable)
    assert "api.example.com:443 cannot be reached" in str(told)
    assert kind in str(told)
    assert PASSWORD not in str(told)
    assert "through the proxy" not in str(told)


def test_the_proxy_that_the_call_went_through_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:{PASSWORD}@127.0.0.1:9")
    error = broken(httpx2.ConnectError("x"), ConnectionRefusedError(111, "Connection refused"))
    told = str(unreachable_error(error, "https://api.example.com:8443"))
    assert told == "api.example.com:8443 cannot be reached through the proxy that HTTPS_PROXY names: connection refused"
    monkeypatch.setenv("NO_PROXY", "example.com")
    assert "proxy" not in str(unreachable_error(error, "https://api.example.com:8443"))


def test_a_server_that_speaks_no_tls_is_told_as_such() -> None:
    with ModelServer() as server:
        url = server.url.replace("http:", "https:")
        with pytest.raises(httpx2.ConnectError) as failed, http_client_for(url) as client:
            client.get(url)
        assert "cannot be reached: TLS failed" in str(unreachable_error(failed.value, url))
