/** Where a command prints: what it must know about its streams, and the only functions that write to them. */
import { styleText } from 'node:util'
import { printableJson, toOutput } from './printable.ts'

export type Style = (text: string) => string
type StyleName = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface OutputStream {
  isTerminal: boolean
  /** In characters; 80 if it is not a terminal. */
  columns: number
  style: Readonly<Record<StyleName, Style>>
  /** Prints a text and a line feed. */
  print(text: string): void
  /** For status lines that are drawn again, which need more than printable text. */
  draw(sequence: string): void
}

export interface Terminal {
  /** Results, which people pipe into other programs. */
  out: OutputStream & {
    printJson(value: unknown): void
    /** One JSON value per line. */
    printJsonLine(value: unknown): void
    /** Without any change, for programs that read it. Never for a terminal. */
    writeRaw(text: string | Uint8Array): Promise<void>
  }
  /** Progress, notes and errors. */
  err: OutputStream
  /** Whether a person can be asked something. */
  canAsk: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

export function createTerminal(
  stdin: { isTTY?: boolean },
  stdout: NodeJS.WriteStream,
  stderr: NodeJS.WriteStream,
  environment: Environment,
): Terminal {
  const out = createOutputStream(stdout, environment)
  const err = createOutputStream(stderr, environment)
  return {
    out: {
      ...out,
      printJson: (value) => void stdout.write(`${printableJson(value, 2)}\n`),
      printJsonLine: (value) => void stdout.write(`${printableJson(value)}\n`),
      writeRaw: (text) => new Promise((resolve) => stdout.write(text, () => resolve())),
    },
    err,
    canAsk: stdin.isTTY === true && err.isTerminal,
  }
}

function createOutputStream(stream: NodeJS.WriteStream, environment: Environment): OutputStream {
  const hasColors = supportsColors(stream, environment)
  const withStyle =
    (name: StyleName): Style =>
    (text) =>
      hasColors ? styleText(name, text, { validateStream: false }) : text
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.isTTY ? stream.columns || 80 : 80,
    style: {
      bold: withStyle('bold'),
      dim: withStyle('dim'),
      red: withStyle('red'),
      green: withStyle('green'),
      yellow: withStyle('yellow'),
      cyan: withStyle('cyan'),
    },
    print: (text) => void stream.write(`${toOutput(text, { hasColors })}\n`),
    draw: (sequence) => void stream.write(sequence),
  }
}

/** https://no-color.org: any value that is not empty. */
const supportsColors = (stream: NodeJS.WriteStream, { NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean => {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0'
  return stream.isTTY === true && TERM !== 'dumb'
}
