import type { Fault, Script, Step } from './script.ts'

const writePage: Step = {
  say: 'I will write the page.',
  call: [{ tool: 'write', arguments: { path: 'docs/scripted.md', content: '# Scripted\n\nWritten by a script.\n' } }],
}
const response: Step = { say: 'Add the scripted page\n\nAdds `docs/scripted.md`.' }

/** A page and an answer, after something went wrong `times` times. */
function after(fault: Fault): Script {
  return [{ ...writePage, fault }, response]
}

/** Played by their name: `scripted/<name>` as the model, or a line `script: <name>` in the prompt. */
export const scripts: ReadonlyMap<string, Script> = new Map<string, Script>([
  // good days
  ['answer', [{ say: 'There is nothing to change.' }]],
  ['write', [writePage, response]],
  // for the prompt that a runner makes itself, when the checks found a broken link
  [
    'mend-link',
    [
      {
        call: [
          {
            tool: 'edit',
            arguments: { path: 'docs/links.md', edits: [{ oldText: 'guide/begin.md', newText: 'guide/start.md' }] },
          },
        ],
      },
      { say: 'Mend the link to the start\n\nThe page has another name.' },
    ],
  ],
  [
    'write-and-edit',
    [
      writePage,
      {
        say: 'And mend it.',
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

  // bad days
  ['rate-limited', after({ kind: 'status', status: 429, retryAfterSeconds: 1, times: 2 })],
  ['server-error', after({ kind: 'status', status: 500 })],
  ['overloaded', after({ kind: 'status', status: 529 })],
  ['key-refused', after({ kind: 'status', status: 401, times: 1_000_000 })],
  ['cut', after({ kind: 'cut', afterChunks: 4 })],
  ['silent', after({ kind: 'silence', afterChunks: 4, milliseconds: 600_000 })],
  ['drip', after({ kind: 'drip', milliseconds: 250 })],
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
  ['huge', [{ sayBytes: 5_000_000 }]],
])
