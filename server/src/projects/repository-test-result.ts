/** Result of testing a connection to a repository, with a message for the person who tests it. */
export type RepositoryTestResult =
  | { ok: false; message: string; found: null }
  | {
      ok: true
      message: string
      found: {
        defaultBranch: string
        /** Null: the code host did not say. */
        docsFolderExists: boolean | null
        /** Null: there are too many to count. */
        pages: number | null
        /** If false, pull requests are polled. */
        canManageWebhooks: boolean
      }
    }
