/** The machine does not meet a requirement of the process. Each reason says what is missing and how to fix it. */
export class HostRequirementsError extends Error {
  override name = 'HostRequirementsError'
  readonly reasons: readonly string[]
  constructor(reasons: readonly string[]) {
    super(reasons.join(' '))
    this.reasons = reasons
  }
}
