/** This version must not be started on the instance. The reason was printed. A file of its own, which every command can load. */
export class UpgradeRefused extends Error {
  override name = 'UpgradeRefused'
}
