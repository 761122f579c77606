/** Splits bytes into lines, with bounded memory: the file may not be a log, and may have lines of any length. */
export interface LogLine {
  /** As in the file, including the line feed. */
  bytes: Buffer
  /** Undefined if this is a part of a line that is too long. */
  text: string | undefined
  /** False for the second and further parts of a line that is too long. */
  isLineStart: boolean
}

const maxLineBytes = 64 * 1024
const lineFeed = 0x0a

export class LineSplitter {
  #remainder: Buffer = Buffer.alloc(0)
  #insideLongLine = false;

  /** Returns the lines that are complete. */
  *push(chunk: Buffer): Iterable<LogLine> {
    const bytes = this.#remainder.length === 0 ? chunk : Buffer.concat([this.#remainder, chunk])
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      yield this.#line(bytes.subarray(start, end + 1), true)
      start = end + 1
    }
    this.#remainder = bytes.subarray(start)
    if (this.#remainder.length > maxLineBytes) yield* this.end(false)
  }

  /** Returns the remaining bytes: a last line without line feed or, with `isEnd` false, a part of a line that is too long. */
  *end(isEnd = true): Iterable<LogLine> {
    if (this.#remainder.length > 0) yield this.#line(this.#remainder, isEnd)
    this.#remainder = Buffer.alloc(0)
  }

  #line(bytes: Buffer, isEnd: boolean): LogLine {
    const isFirst = !this.#insideLongLine
    this.#insideLongLine = !isEnd
    const isComplete = isFirst && isEnd && bytes.length <= maxLineBytes
    return { bytes, text: isComplete ? bytes.toString('utf8').trimEnd() : undefined, isLineStart: isFirst }
  }
}
