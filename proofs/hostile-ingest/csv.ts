/** A strict parser of RFC 4180: wrong quoting is an error. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|$)/y
  for (let row: string[] = []; cell.lastIndex < text.length; ) {
    const start = cell.lastIndex
    const [, quoted, plain = '', end = ''] = cell.exec(text) ?? []
    if (cell.lastIndex === 0)
      throw new Error(`invalid CSV at ${start}: ${JSON.stringify(text.slice(start, start + 60))}`)
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

/** Whether a spreadsheet would interpret the cell as a formula. */
export const isFormula = (cell: string) => /^[=+\-@\t\r]/.test(cell)
