/** Colors a unified diff for a terminal. */
import { printableBlock } from '../terminal/printable.ts'
import type { OutputStream } from '../terminal/terminal.ts'

export const formatDiff = (diff: string, { style }: OutputStream): string =>
  printableBlock(diff)
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (/^(diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename )/.test(line)) return style.bold(line)
      if (line.startsWith('@@')) return style.cyan(line)
      if (line.startsWith('+')) return style.green(line)
      if (line.startsWith('-')) return style.red(line)
      return line
    })
    .join('\n')
