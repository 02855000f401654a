"""The Python SDK against the running service: python clients.py, run by tests/outside/serve."""

import asyncio
import logging
import os
import sys
import traceback
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from mcp.shared.exceptions import MCPError

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
URL = f"{BASE}/api/mcp/v1/mcp"
CALLBACK = "http://127.0.0.1:7/callback"
SITE = "parcelwise.com"
# How a client negotiates, and what comes of it.
ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


class Storage:
    """Keeps what the client is given."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Wire:
    """An HTTP client that remembers what it asked and what it was answered."""

    def __init__(self, auth=None, headers=None):
        self.seen = []
        hooks = {"response": [self.remember]}
        self.http = httpx2.AsyncClient(
            auth=auth, headers=headers, event_hooks=hooks, trust_env=False, timeout=60, follow_redirects=False
        )

    async def remember(self, response):
        self.seen.append(response)

    def statuses(self, path):
        return [response.status_code for response in self.seen if urlsplit(str(response.url)).path == path]

    def transport(self):
        return streamable_http_client(URL, http_client=self.http)


async def sign_in(url):
    """Where the browser of the user ends."""
    program = await asyncio.create_subprocess_exec(
        os.environ["NODE"], "sign-in.js", url, stdout=asyncio.subprocess.PIPE, cwd=os.path.dirname(__file__) or "."
    )
    said, _ = await program.communicate()
    assert program.returncode == 0, "the sign-in failed"
    return said.decode().strip()


def provider(storage, metadata_url=None):
    arrived = []

    async def redirect(url):
        arrived.append(await sign_in(url))

    async def callback():
        url = arrived.pop()
        assert url.startswith(CALLBACK), url
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert "error" not in query, query
        assert query["iss"] == BASE, query
        return AuthorizationCodeResult(**query)

    metadata = OAuthClientMetadata(
        client_name="Python SDK",
        redirect_uris=[CALLBACK],
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )
    return OAuthClientProvider(URL, metadata, storage, redirect, callback, client_metadata_url=metadata_url)


async def works(client, version):
    """Everything that an agent does."""
    assert client.protocol_version == version, client.protocol_version
    assert client.server_info.name == "visibility"
    assert client.instructions

    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {"scan_domain", "list_checks"} <= tools.keys(), tools.keys()
    assert all(tool.annotations.read_only_hint for tool in tools.values())

    checks = await client.call_tool("list_checks", {})
    assert not checks.is_error and len(checks.structured_content["checks"]) == 21

    scan = await client.call_tool("scan_domain", {"domain": SITE})
    assert not scan.is_error, scan.content
    assert scan.structured_content["score"] >= 90, scan.structured_content
    assert scan.content[0].text

    refused = await client.call_tool("scan_domain", {"domain": "127.0.0.1"})
    assert refused.is_error and refused.content[0].text.startswith("INVALID_DOMAIN: "), refused
    wrong = await client.call_tool("scan_domain", {"domain": 7})
    assert wrong.is_error and wrong.content[0].text.startswith("INVALID_REQUEST: "), wrong

    try:
        unknown = await client.call_tool("no_such_tool", {})
    except MCPError as error:
        assert error.error.code == -32602, error
    else:
        raise AssertionError(unknown)

    templates = [template.uri_template for template in (await client.list_resource_templates()).resource_templates]
    assert "visibility://scan/{domain}" in templates, templates
    resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
    assert "visibility://checks" in resources, resources
    report = await client.read_resource(f"visibility://scan/{SITE}")
    assert SITE in report.contents[0].text
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert "fix_agent_readiness" in prompts, prompts
    prompt = await client.get_prompt("fix_agent_readiness", {"domain": SITE})
    assert SITE in prompt.messages[0].content.text


async def no_credentials():
    for mode in ERAS:
        wire = Wire()
        async with wire.http:
            try:
                async with Client(wire.transport(), mode=mode):
                    raise AssertionError("let in without credentials")
            except AssertionError:
                raise
            except BaseException as error:
                if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
                    raise
        assert wire.seen[0].status_code == 401, wire.seen
        challenge = wire.seen[0].headers["www-authenticate"]
        path = urlsplit(URL).path
        assert f'resource_metadata="{BASE}/.well-known/oauth-protected-resource{path}"' in challenge, challenge
        assert "error=" not in challenge, challenge


async def with_key(mode, version):
    wire = Wire(headers={"Authorization": f"Bearer {KEY}"})
    async with wire.http, Client(wire.transport(), mode=mode) as client:
        await works(client, version)


async def with_login(mode, version, metadata_url=None):
    storage = Storage()
    wire = Wire(auth=provider(storage, metadata_url))
    async with wire.http, Client(wire.transport(), mode=mode) as client:
        await works(client, version)
    if metadata_url is None:
        assert wire.statuses("/register") == [201], wire.statuses("/register")
    else:
        assert storage.client.client_id == metadata_url and not wire.statuses("/register")
    assert wire.statuses("/token") == [200], wire.statuses("/token")
    assert storage.tokens.access_token.startswith("service_oat_")
    assert storage.tokens.refresh_token.startswith("service_ort_")

    # The same again with the stored tokens, when the access token has expired: it is refreshed without a sign-in.
    before = storage.tokens
    again = provider(storage)
    await again._initialize()
    again.context.token_expiry_time = 1.0
    wire = Wire(auth=again)
    async with wire.http, Client(wire.transport(), mode=mode) as client:
        assert (await client.list_tools()).tools
    assert wire.statuses("/token") == [200] and not wire.statuses("/register")
    assert storage.tokens.access_token != before.access_token
    assert storage.tokens.refresh_token != before.refresh_token


async def standard_input(mode, version):
    program = os.environ["VISIBILITY"]
    arguments = os.environ["SITE_OPTIONS"].split()
    async with Client(StdioServerParameters(command=program, args=["mcp", *arguments]), mode=mode) as client:
        await works(client, version)


def causes(error):
    """What went wrong, without the groups of tasks around it."""
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from causes(part)
    else:
        yield error


def cases():
    yield "no credentials", no_credentials()
    for mode, version in ERAS.items():
        yield f"key, {version}", with_key(mode, version)
        yield f"login, {version}", with_login(mode, version)
        yield f"standard input, {version}", standard_input(mode, version)
    yield "login with a client metadata document", with_login("auto", ERAS["auto"], os.environ["CLIENT_METADATA"])


async def main():
    # What it has to say of a failure is said with the failure.
    logging.disable(logging.CRITICAL)
    passed = failed = 0
    for name, case in cases():
        try:
            await asyncio.wait_for(case, 120)
        except Exception as error:
            failed += 1
            print(f"Python SDK: {name}: FAILED", flush=True)
            for cause in causes(error):
                traceback.print_exception(cause, limit=-3, chain=False, file=sys.stdout)
        else:
            passed += 1
            print(f"Python SDK: {name}: ok", flush=True)
    print(f"test result: {'FAILED' if failed else 'ok'}. {passed} passed; {failed} failed", flush=True)
    return failed


sys.exit(1 if asyncio.run(main()) else 0)
