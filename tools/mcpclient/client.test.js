// The official TypeScript SDK talks to gate mcp, on standard input and output and over HTTP.
// GATE is the program, ROOT a folder with a change that is dangerous.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { GATE, ROOT, HOME, PATH } = process.env;
const token = 'a-token-of-this-test-alone';

// uses does what agents do.
async function uses(transport) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  assert.strictEqual(client.getServerVersion().name, 'gate');
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 11 && tools.every((t) => t.inputSchema.type === 'object' && t.outputSchema));

  // The SDK checks each result against the schema of its tool.
  const call = (name, args) => client.callTool({ name, arguments: args });
  const change = await call('scan_change', {});
  assert.strictEqual(change.structuredContent.verdict, 'DANGEROUS');
  const [finding] = change.structuredContent.findings;
  const why = await call('explain_finding', { rule: finding.rule });
  assert.match(why.content[0].text, /Why it is dangerous/);
  assert.strictEqual((await call('scan_code', { path: 'a.py', code: 'print(1)\n' })).structuredContent.verdict, 'SAFE');

  const wrote = await call('write_file', { path: 'a.txt', text: 'hello' });
  const { session } = wrote.structuredContent;
  assert.match((await call('read_file', { path: 'a.txt', session })).content[0].text, /hello/);
  const refused = await call('read_file', { path: '../../etc/passwd', session });
  assert.ok(refused.isError);
  const unknown = await call('run_code', { language: 'cobol', code: 'x' }).catch((err) => ({ isError: true, err }));
  assert.ok(unknown.isError);
  await client.close();
}

test('the SDK uses gate over standard input and output', async () => {
  await uses(new StdioClientTransport({ command: GATE, args: ['mcp', '--root', ROOT], env: { HOME, PATH } }));
});

test('the SDK uses gate over HTTP', async () => {
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
    const as = (headers) => new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } });
    await uses(as({ Authorization: `Bearer ${token}` }));
    await assert.rejects(uses(as({ Authorization: 'Bearer another-token-than-that' })), /token/);
    await assert.rejects(uses(as({})), /token/);
  } finally {
    server.kill();
    await ended;
  }
});
