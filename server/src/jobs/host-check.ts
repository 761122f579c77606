/** What the code host says about the commit at the head of a job's pull request. */
export const ciCheckStatuses = ['pending', 'passed', 'failed'] as const

export interface HostCheck {
  /** The host's own. */
  id: string
  name: string
  status: (typeof ciCheckStatuses)[number]
  url: string | null
  summary: string | null
}

/** As they were when last read. */
export interface SeenChecks {
  commit: string
  /** When the commit appeared, or the host last hinted: new checks are expected for some time after. */
  watchedSince: string
  checks: readonly HostCheck[]
}

/** By a check's id. Null: the host has none to give. */
export type CheckLogs = Readonly<Record<string, string | null>>

/** A failed check as it is handed to the agent. */
export interface FailedCheck {
  name: string
  summary: string | null
  log: string | null
}
