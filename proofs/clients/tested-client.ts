/** A client of the API, as people get it. Each one is installed and run by `proofs/clients.ts` in the same way. */
export interface TestedClient {
  name: string
  /** Makes the package that belongs to the source, before the instance starts. */
  build(): Promise<void>
  /** Installs the package into an empty directory, from the instance, as its README says. */
  install(directory: string, instanceUrl: string): Promise<void>
  /**
   * Writes a program to the directory that does the steps of `stepNames` in their order, and returns the command that runs it. The
   * program reads its settings from the environment (`ScenarioSettings`). Before each step it prints `ready <step>` and waits for a line
   * on its standard input; afterwards it prints `done <step>` and the result as JSON.
   */
  prepareScenario(directory: string): Promise<readonly string[]>
  /** Writes the examples of the README to the directory, and returns the command that runs each one. */
  prepareExamples(directory: string): Promise<readonly ReadmeExample[]>
}

export interface ReadmeExample {
  name: string
  command: readonly string[]
  /** What the output must contain. */
  prints: RegExp
}

export const stepNames = ['create', 'wait', 'message', 'wait again', 'diff', 'send views', 'read views'] as const
export type StepName = (typeof stepNames)[number]

/** The environment of the program. */
export interface ScenarioSettings {
  COLOPHON_URL: string
  COLOPHON_API_KEY: string
  COLOPHON_PROJECT_ID: string
  FIRST_PROMPT: string
  SECOND_PROMPT: string
}

/** What the steps print. */
export interface ScenarioResults {
  create: { jobId: string }
  wait: { status: string; prLink: string | null; eventIds: string[] }
  message: Record<string, never>
  /** Only events after those of the first wait. */
  'wait again': { status: string; prLink: string | null; eventIds: string[] }
  diff: { diff: string | null }
  'send views': Record<string, never>
  'read views': { total: number }
}
