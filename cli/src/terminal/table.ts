/** Aligned columns. Cells are text that is printable already, optionally with a style that has no width. */
export interface Cell {
  text: string
  style?: (text: string) => string
}

export interface Column {
  title: string
  align?: 'left' | 'right'
}

const columnGap = '  '

export function formatTable(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]?.text.length ?? 0)),
  )
  const header = columns.map(({ title }) => ({ text: title }))
  const formatRow = (row: readonly Cell[]) =>
    columns
      .map(({ align }, index) => {
        const { text, style = (unchanged: string) => unchanged } = row[index] ?? { text: '' }
        const padding = ' '.repeat((widths[index] ?? 0) - text.length)
        return align === 'right' ? padding + style(text) : style(text) + padding
      })
      .join(columnGap)
      .trimEnd()
  return [header, ...rows].map(formatRow).join('\n')
}

/** Names and values, one per line. */
export function formatFields(fields: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length))
  return fields.map(([name, value]) => `${name.padEnd(width)}${columnGap}${value}`).join('\n')
}

/** Shortened to a width, with an ellipsis. */
export const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`
