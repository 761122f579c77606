/** The machine lacks something that the process must not run without. Each reason says what, and what to do. */
export class HostNotFit extends Error {
  override name = 'HostNotFit'
  readonly reasons: readonly string[]
  constructor(reasons: readonly string[]) {
    super(reasons.join(' '))
    this.reasons = reasons
  }
}
