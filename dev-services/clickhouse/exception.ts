/** An error as ClickHouse returns it over HTTP: a status, a code in a header, and a text that clients parse. */
export class ClickHouseException extends Error {
  readonly code: number

  constructor(code: number, text: string) {
    super(text)
    this.code = code
  }

  static of(code: number, name: string, message: string): ClickHouseException {
    return new ClickHouseException(code, `Code: ${code}. DB::Exception: ${message}. (${name})`)
  }

  /** Errors of chdb have their code only in the text. */
  static from(error: unknown): ClickHouseException {
    const text = error instanceof Error ? error.message : String(error)
    const code = /^Code: (\d+)/.exec(text)?.[1]
    return code ? new ClickHouseException(Number(code), text) : ClickHouseException.of(1002, 'UNKNOWN_EXCEPTION', text)
  }

  get httpStatus(): number {
    return statuses.get(this.code) ?? 500
  }
}

// The same mapping as the server's. All other codes are 500.
const codesByStatus: Record<number, number[]> = {
  400: [6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676],
  403: [497],
  404: [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336],
  408: [159],
  413: [229],
  501: [48],
  503: [76, 439],
}

const statuses = new Map(
  Object.entries(codesByStatus).flatMap(([status, codes]) => codes.map((code) => [code, Number(status)] as const)),
)
