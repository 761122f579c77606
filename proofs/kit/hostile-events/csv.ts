/** RFC 4180, read strictly: whatever is not quoted as it should be is an error. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|$)/y
  for (let row: string[] = []; cell.lastIndex < text.length; ) {
    const begin = cell.lastIndex
    const [, quoted, plain = '', end = ''] = cell.exec(text) ?? []
    if (cell.lastIndex === 0) throw new Error(`no CSV at ${begin}: ${JSON.stringify(text.slice(begin, begin + 60))}`)
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

/** What a spreadsheet would take for a formula. */
export const isFormula = (cell: string) => /^[=+\-@\t\r]/.test(cell)
