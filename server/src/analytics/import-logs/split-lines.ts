/** Bytes into lines, of which none takes more memory than a line may: a file need not be a log. */
export interface Line {
  /** As they are in the file, its end included. */
  bytes: Buffer
  /** Undefined: one of the pieces of a line that is too long to be one. */
  text: string | undefined
  /** Begins a line: pieces after the first do not. */
  isFirst: boolean
}

const maxLineBytes = 64 * 1024
const lineFeed = 0x0a

export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0)
  #insideLongLine = false;

  /** Every line that has come to its end. */
  *push(chunk: Buffer): Iterable<Line> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let begin = 0
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, begin)) {
      yield this.#line(bytes.subarray(begin, end + 1), true)
      begin = end + 1
    }
    this.#rest = bytes.subarray(begin)
    if (this.#rest.length > maxLineBytes) yield* this.end(false)
  }

  /** What is left, as a line that has no end; or, in the middle, as a piece of one that is too long. */
  *end(isEnd = true): Iterable<Line> {
    if (this.#rest.length > 0) yield this.#line(this.#rest, isEnd)
    this.#rest = Buffer.alloc(0)
  }

  #line(bytes: Buffer, isEnd: boolean): Line {
    const isFirst = !this.#insideLongLine
    this.#insideLongLine = !isEnd
    const isWhole = isFirst && isEnd && bytes.length <= maxLineBytes
    return { bytes, text: isWhole ? bytes.toString('utf8').trimEnd() : undefined, isFirst }
  }
}
