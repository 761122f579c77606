/** What a command shows on a terminal, as a page for a screenshot. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Runs a shell command on a pseudo-terminal, and returns everything that it writes. */
export async function runOnTerminal(
  command: string,
  { columns, environment }: { columns: number; environment: NodeJS.ProcessEnv },
): Promise<string> {
  const program = spawn(
    'script',
    ['--quiet', '--return', '--command', `stty cols ${columns}; ${command}`, '/dev/null'],
    {
      env: { ...environment, TERM: 'xterm-256color' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return text(program.stdout)
}

export interface TerminalScreen {
  /** As typed after the prompt. */
  command: string
  /** With escape sequences. */
  output: string
}

/** Only what the `colophon` command uses: colors, bold, dim, and clearing a line. */
export function renderTerminal(screens: readonly TerminalScreen[]): string {
  const body = screens
    .map(({ command, output }) => `<b class="prompt">$</b> ${escapeHtml(command)}\n${renderOutput(output)}`)
    .join('\n')
  return `<!doctype html><style>${style}</style><pre>${body}</pre>`
}

const style = `
  body { margin: 0; background: #1a1917; }
  pre { margin: 0; padding: 20px 24px; color: #e8e4da; font: 14px/1.5 'DejaVu Sans Mono', monospace; width: max-content; }
  .prompt { color: #d97757; }
  .s1 { font-weight: bold; } .s2 { opacity: 0.65; }
  .s31 { color: #f0776c; } .s32 { color: #7cc379; } .s33 { color: #e3b341; }
  .s34 { color: #7aa2f7; } .s35 { color: #c99bf0; } .s36 { color: #63c3c9; } .s90 { color: #918c82; }
`

const clearLine = '\r\u001b[2K'
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one
const styledText = /([^\u001b]*)(?:\u001b\[([\d;]*)m)?/g

function renderOutput(output: string): string {
  const lines = output.replaceAll('\r\n', '\n').split('\n')
  const finalLines = lines.map((line) => line.split(clearLine).at(-1) ?? '')
  const html = finalLines.join('\n').replaceAll(styledText, renderSpan())
  return html.trimEnd().concat('\n')
}

/** Each code opens a span. Codes that end a style close all of them, because the command never nests styles. */
function renderSpan(): (match: string, content: string, codes: string | undefined) => string {
  let open = 0
  return (_match, content, codes) => {
    const shown = escapeHtml(content)
    if (codes === undefined) return shown
    const classes = codes.split(';').filter((code) => Number(code) > 0 && !['22', '23', '24', '39'].includes(code))
    if (classes.length > 0) {
      open++
      return `${shown}<span class="${classes.map((code) => `s${code}`).join(' ')}">`
    }
    const closing = '</span>'.repeat(open)
    open = 0
    return shown + closing
  }
}

const escapeHtml = (content: string) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
