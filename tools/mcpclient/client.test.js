// Two clients that were not written with gate talk to gate mcp, on standard input and output
// and over HTTP: the official TypeScript SDK, and the client of Vercel's AI SDK, which has
// its own implementation of the protocol. GATE is the program, ROOT a folder with a change
// that is dangerous.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import test from 'node:test';
import { experimental_createMCPClient as createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as AIStdio } from '@ai-sdk/mcp/mcp-stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { GATE, ROOT, HOME, PATH } = process.env;
const token = 'a-token-of-this-test-alone';
const command = { command: GATE, args: ['mcp', '--root', ROOT], env: { HOME, PATH } };

// official connects the SDK. It checks each result against the schema of its tool.
async function official(transport) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  assert.strictEqual(client.getServerVersion().name, 'gate');
  const { tools } = await client.listTools();
  assert.ok(tools.every((t) => t.inputSchema.type === 'object' && t.outputSchema));
  return {
    tools: tools.map((t) => t.name),
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

// vercel connects the AI SDK, which makes of each tool a function for a model.
async function vercel(transport) {
  const client = await createMCPClient({ transport });
  const tools = await client.tools();
  return {
    tools: Object.keys(tools),
    call: (name, args) => tools[name].execute(args, { toolCallId: '1', messages: [] }),
    close: () => client.close(),
  };
}

// uses does what agents do.
async function uses({ tools, call, close }) {
  assert.ok(tools.length >= 11);
  const change = await call('scan_change', {});
  assert.strictEqual(change.structuredContent.verdict, 'DANGEROUS');
  const [finding] = change.structuredContent.findings;
  const why = await call('explain_finding', { rule: finding.rule });
  assert.match(why.content[0].text, /Why it is dangerous/);
  assert.strictEqual((await call('scan_code', { path: 'a.py', code: 'print(1)\n' })).structuredContent.verdict, 'SAFE');

  const wrote = await call('write_file', { path: 'a.txt', text: 'hello', session: 'new' });
  const { session } = wrote.structuredContent;
  assert.match((await call('read_file', { path: 'a.txt', session })).content[0].text, /hello/);
  const refused = await call('read_file', { path: '../../etc/passwd', session });
  assert.ok(refused.isError);
  const unknown = await call('run_code', { language: 'cobol', code: 'x' }).catch((err) => ({ isError: true, err }));
  assert.ok(unknown.isError);
  await close();
}

test('the SDK uses gate over standard input and output', async () => {
  await uses(await official(new StdioClientTransport(command)));
});

test('the AI SDK uses gate over standard input and output', async () => {
  await uses(await vercel(new AIStdio(command)));
});

test('both use gate over HTTP', async () => {
  const server = spawn(GATE, ['mcp', '--root', ROOT, '--http', '127.0.0.1:0'], { env: { HOME, PATH, GATE_MCP_TOKEN: token }, stdio: ['ignore', 'inherit', 'pipe'] });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  try {
    let address;
    for await (const line of readline.createInterface({ input: server.stderr })) {
      [address] = line.match(/http:\/\/[^;\s]+/) ?? [];
      if (address) {
        break;
      }
    }
    assert.ok(address, 'gate does not say where it serves');
    const clients = {
      official: (headers) => official(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } })),
      vercel: (headers) => vercel({ type: 'http', url: address, headers }),
    };
    for (const connect of Object.values(clients)) {
      await uses(await connect({ Authorization: `Bearer ${token}` }));
      await assert.rejects(connect({ Authorization: 'Bearer another-token-than-that' }), /token|401/);
      await assert.rejects(connect({}), /token|401/);
    }
  } finally {
    server.kill();
    await ended;
  }
});
