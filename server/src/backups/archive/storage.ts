/** Where backups are kept. A backup is a folder of files; `manifest.json`, which is written last, makes it complete. */
export interface BackupStorage {
  /** For messages. */
  readonly description: string
  /** The names of all folders, of complete and incomplete backups, oldest first. */
  listFolders(): Promise<string[]>
  /**
   * Resolves when the file is durable. A file that could not be written completely does not exist. Ends with the reason of `signal`,
   * in a directory only when its current call returns.
   */
  write(path: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void>
  hasFile(path: string): Promise<boolean>
  /** Rejects with `BackupFileMissing` if there is no such file. */
  read(path: string): AsyncIterable<Uint8Array>
  deleteFolder(name: string): Promise<void>
}
