/** A result that is not pushed before a person approves it. */

/** Something that would be refused without an approval. */
export interface ApprovalReason {
  code: string
  path: string
  line: number | null
  message: string
}

export interface HeldResult {
  /** What would be pushed. */
  diff: string
  /** A large diff is cut off, and binary files are only named. Images are expected to be. */
  isDiffComplete: boolean
  /** Empty: the project requires an approval of every result. */
  reasons: readonly ApprovalReason[]
  /** Hosts in links and images that no page of the repository named before. */
  newHosts: readonly string[]
}

/** What a person is asked to approve. */
export interface PendingApproval extends Omit<HeldResult, 'diff'> {
  /** Identifies the result. */
  diffSha256: string
  requestedAt: Date
}
