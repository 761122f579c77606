/** An error that the operator can act on, so that no stack trace is needed. */
export class BackupError extends Error {}

export class BackupFileMissing extends BackupError {
  constructor(path: string) {
    super(`${path} is missing.`)
  }
}

/** It would be too large again, so that a retry is of no use. */
export class BackupFileTooLarge extends BackupError {}
