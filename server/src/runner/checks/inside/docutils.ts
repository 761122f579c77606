/** Checks reStructuredText with docutils, in one Python process for all pages. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { SyntaxProblem, SyntaxResult } from './parsed-page.ts'

/**
 * Reads a JSON string per line, and prints a JSON list of messages per line. No files are read. Directives and roles that docutils
 * does not know belong to Sphinx or its extensions.
 */
const program = String.raw`
import json, re, sys
import docutils.core, docutils.nodes, docutils.utils
ignored = re.compile(r'(Unknown|No) (directive|role|interpreted text role)|^(Undefined substitution|Unknown target name)|'
                     r'directive disabled|Trying ')
settings = {'report_level': 5, 'halt_level': 5, 'file_insertion_enabled': False, 'raw_enabled': False,
            '_disable_config': True, 'input_encoding': 'unicode'}
for line in sys.stdin:
    found = []
    def observe(message):
        text = docutils.nodes.Element.astext(message)
        if message['level'] >= 2 and not ignored.search(text):
            found.append({'text': text.split('\n')[0][:300], 'line': message.get('line')})
    try:
        document = docutils.utils.new_document('page', docutils.frontend.get_default_settings(docutils.parsers.rst.Parser))
        for name, value in settings.items():
            setattr(document.settings, name, value)
        document.reporter = docutils.utils.Reporter('page', 5, 5)
        document.reporter.attach_observer(observe)
        docutils.parsers.rst.Parser().parse(json.loads(line), document)
    except Exception as error:
        found.append({'text': 'docutils cannot parse the page: ' + type(error).__name__, 'line': None})
    print(json.dumps(found), flush=True)
`

const notInstalled: SyntaxResult = {
  kind: 'not_checked',
  reason: 'The syntax of reStructuredText is checked if the runner has docutils (python3-docutils).',
}

let docutils: Docutils | undefined

export function checkWithDocutils(text: string): Promise<SyntaxResult> {
  docutils ??= new Docutils()
  return docutils.check(text)
}

class Docutils {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>
  #previous: Promise<unknown> = Promise.resolve()

  constructor() {
    this.#process = spawn('python3', ['-c', `import docutils.frontend, docutils.parsers.rst\n${program}`])
    for (const stream of [this.#process.stdin, this.#process.stderr]) stream.on('error', () => {})
    this.#process.on('error', () => {}) // without Python, the output ends at once
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
    this.#keepAlive(false)
  }

  /** One page at a time, so that responses are in order. */
  check(text: string): Promise<SyntaxResult> {
    const result = this.#previous.then(() => this.#send(text))
    this.#previous = result
    return result
  }

  async #send(text: string): Promise<SyntaxResult> {
    this.#keepAlive(true)
    this.#process.stdin.write(`${JSON.stringify(text)}\n`)
    const { value, done } = await this.#lines.next().finally(() => this.#keepAlive(false))
    if (done || typeof value !== 'string') return notInstalled
    const errors = (JSON.parse(value) as { text: string; line: number | null }[]).map(
      (message): SyntaxProblem => ({ text: message.text, line: message.line ?? undefined }),
    )
    return { kind: 'checked', errors }
  }

  /** Between two pages, Python must not keep this process alive. It exits at the end of its input. */
  #keepAlive(isAwaited: boolean): void {
    const { stdin, stdout, stderr } = this.#process
    for (const handle of [this.#process, ...([stdin, stdout, stderr] as unknown as Socket[])])
      if (isAwaited) handle.ref()
      else handle.unref()
  }
}
