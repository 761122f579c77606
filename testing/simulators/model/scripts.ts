import type { Fault, Script, Step } from './script.ts'

const writePage: Step = {
  say: 'I will write the page.',
  call: [{ tool: 'write', arguments: { path: 'docs/scripted.md', content: '# Scripted\n\nWritten by a script.\n' } }],
}
const response: Step = { say: 'Add the scripted page\n\nAdds `docs/scripted.md`.' }

/** Writes a page and responds, after the fault occurred `times` times. */
function withFault(fault: Fault): Script {
  return [{ ...writePage, fault }, response]
}

/** Scripts by name. Selected with the model `scripted/<name>`, or with a line `script: <name>` in the prompt. */
export const scripts: ReadonlyMap<string, Script> = new Map<string, Script>([
  // without faults
  ['answer', [{ say: 'There is nothing to change.' }]],
  ['write', [writePage, response]],
  // for the prompt that a runner writes when the docs checks find a broken link
  [
    'fix-link',
    [
      {
        call: [
          {
            tool: 'edit',
            arguments: { path: 'docs/links.md', edits: [{ oldText: 'guide/begin.md', newText: 'guide/start.md' }] },
          },
        ],
      },
      { say: 'Fix the link to the start\n\nThe page has another name.' },
    ],
  ],
  [
    'write-and-edit',
    [
      writePage,
      {
        say: 'I will edit it.',
        call: [
          {
            tool: 'edit',
            arguments: {
              path: 'docs/scripted.md',
              edits: [{ oldText: 'Written by a script.', newText: 'Written by a script, then edited.' }],
            },
          },
        ],
      },
      response,
    ],
  ],
  [
    'every-tool',
    [
      {
        call: [
          { tool: 'ls', arguments: {} },
          { tool: 'find', arguments: { pattern: '**/*.md' } },
        ],
      },
      writePage,
      {
        call: [
          { tool: 'read', arguments: { path: 'docs/scripted.md' } },
          { tool: 'grep', arguments: { pattern: 'Scripted', path: 'docs' } },
          { tool: 'bash', arguments: { command: 'git status --short' } },
        ],
      },
      {
        call: [
          {
            tool: 'edit',
            arguments: { path: 'docs/scripted.md', edits: [{ oldText: '# Scripted', newText: '# Every tool' }] },
          },
        ],
      },
      response,
    ],
  ],

  // with faults
  ['rate-limited', withFault({ kind: 'status', status: 429, retryAfterSeconds: 1, times: 2 })],
  ['server-error', withFault({ kind: 'status', status: 500 })],
  ['overloaded', withFault({ kind: 'status', status: 529 })],
  ['key-refused', withFault({ kind: 'status', status: 401, times: 1_000_000 })],
  ['cut', withFault({ kind: 'cut', afterChunks: 4 })],
  ['silent', withFault({ kind: 'silence', afterChunks: 4, milliseconds: 600_000 })],
  ['drip', withFault({ kind: 'drip', milliseconds: 250 })],
  [
    'malformed-call',
    [
      {
        say: 'I will write the page.',
        call: [{ tool: 'write', malformedArguments: '{"path": "docs/scripted.md", "cont' }],
      },
      writePage,
      response,
    ],
  ],
  ['refusal', [{ refuse: 'I cannot help with that.' }]],
  ['endless', [{ call: [{ tool: 'ls', arguments: {} }], endless: true }]],
])
