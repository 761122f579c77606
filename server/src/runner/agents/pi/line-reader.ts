/** Splits bytes into lines at `\n` only. `readline` also splits at U+2028, which pi's JSON contains unescaped. */
export class LineReader {
  readonly #maxLineBytes: number
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
  }

  /** Returns the lines that are complete now, without the line feed. Throws if a line is too long. */
  read(chunk: Buffer): string[] {
    const lines: string[] = []
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#add(chunk.subarray(start, end))
      lines.push(Buffer.concat(this.#chunks).toString('utf8'))
      this.#chunks = []
      this.#bytes = 0
      start = end + 1
    }
    this.#add(chunk.subarray(start))
    return lines
  }

  #add(part: Buffer): void {
    this.#bytes += part.length
    if (this.#bytes > this.#maxLineBytes) throw new Error(`a line of more than ${this.#maxLineBytes} bytes`)
    this.#chunks.push(part)
  }
}
