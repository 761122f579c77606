/** Cuts bytes into lines at `\n` only: `readline` also splits at U+2028, which pi's JSON holds as it is. */
export class LineReader {
  readonly #maxLineBytes: number
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
  }

  /** The lines that are whole now, without their end. Throws for a line that is too long to be one. */
  read(chunk: Buffer): string[] {
    const lines: string[] = []
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, at))
      lines.push(Buffer.concat(this.#chunks).toString('utf8'))
      this.#chunks = []
      this.#bytes = 0
      from = at + 1
    }
    this.#add(chunk.subarray(from))
    return lines
  }

  #add(part: Buffer): void {
    this.#bytes += part.length
    if (this.#bytes > this.#maxLineBytes) throw new Error(`a line of more than ${this.#maxLineBytes} bytes`)
    this.#chunks.push(part)
  }
}
