"""Hermes Agent's own code as a client: finds the tools of the servers in its configuration, and calls some as its agent loop does.

Takes calls as JSON, `[[tool, arguments], ...]`, and prints what it found and what came of them.
"""

import json
import sys

from tools.mcp_tool import discover_mcp_tools, shutdown_mcp_servers
from tools.registry import registry

found = discover_mcp_tools()
schemas = {name: registry.get_entry(name).schema for name in found}
results = [registry.dispatch(tool, arguments) for tool, arguments in json.loads(sys.argv[1])]
json.dump({"found": found, "schemas": schemas, "results": results}, sys.stdout)
shutdown_mcp_servers()
