/** The backups that compose.backup.yml writes, and what deploy/README.md says about restoring one. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ContainerRuntime } from '../../testing/services/containers/container-runtime.ts'
import type { ProofRun } from '../proof.ts'
import { ComposeProject } from './compose-project.ts'

/** Temporal starts one every minute. */
const firstBackupWithinSeconds = 150

/** Waits for a scheduled backup, deletes both databases and the secrets, and restores them. Temporal's database is lost as well. */
export async function restoreFromBackup(
  run: ProofRun,
  runtime: ContainerRuntime,
  { name, env, files }: { name: string; env: NodeJS.ProcessEnv; files: readonly string[] },
): Promise<void> {
  const withoutBackup = new ComposeProject(runtime, { name, env, files })
  const keys = await withoutBackup.run('run', '--rm', '-T', '--no-deps', 'api', 'backup', 'key', 'generate')
  const readKey = (setting: string) => new RegExp(`^${setting}=(\\S+)$`, 'm').exec(keys)?.[1] ?? ''
  const identity = readKey('COLOPHON_BACKUP_IDENTITY')
  const compose = new ComposeProject(runtime, {
    name,
    files: [...files, 'compose.backup.yml'],
    env: {
      ...env,
      COLOPHON_BACKUP_RECIPIENTS: readKey('COLOPHON_BACKUP_RECIPIENTS'),
      COLOPHON_BACKUP_SCHEDULE: '* * * * *',
      COLOPHON_BACKUP_KEEP: '2',
    },
  })
  run.cleanUp(() => compose.run('down', '--volumes', '--timeout', '10'))
  const runBackup = (...args: string[]) =>
    compose.run('run', '--rm', '-T', '--no-deps', '--env', `COLOPHON_BACKUP_IDENTITY=${identity}`, 'backup', ...args)

  await compose.up()
  const startedAt = performance.now()
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000
  let log = ''
  while (!log.includes('the backup is complete') && elapsedSeconds() < firstBackupWithinSeconds) {
    await sleep(2_000)
    log = await compose.logs('backup')
  }
  run.check(log.includes('the backup is complete'), `the schedule writes a backup: ${log.slice(-300)}`)
  run.figure('seconds until the first scheduled backup', elapsedSeconds().toFixed(0))
  run.log((await runBackup('backup', 'verify')).trim())

  const directory = await mkdtemp(join(tmpdir(), 'colophon-secrets-'))
  run.cleanUp(() => rm(directory, { recursive: true }))
  const secrets = join(directory, 'secrets.tar')
  const gitea = join(directory, 'gitea.sql')
  const runTar = ['run', '--rm', '-T', '--no-deps', '--entrypoint', 'tar', 'setup']
  await compose.runWithFile('>', secrets, ...runTar, '--create', '--directory', '/volumes/secrets', '.')
  // The code host of the demo is in the same PostgreSQL, and no backup of Colophon contains it.
  await compose.runWithFile('>', gitea, 'exec', '-T', 'postgres', 'pg_dump', '--username', 'postgres', 'gitea')
  await compose.run('down')
  await runtime.docker(['volume', 'rm', ...['postgres', 'clickhouse', 'secrets'].map((volume) => `${name}_${volume}`)])

  await compose.runWithFile('<', secrets, ...runTar, '--extract', '--directory', '/volumes/secrets')
  await compose.run('up', '--detach', '--no-build', '--wait', 'postgres', 'clickhouse', 'temporal')
  await compose.run('run', '--rm', '-T', '--no-deps', 'gitea-database')
  await compose.runWithFile('<', gitea, 'exec', '-T', 'postgres', 'psql', '--quiet', '--username', 'postgres', 'gitea')
  run.log((await runBackup('restore')).trim())
  run.figure('seconds from the restore to healthy', (await withoutBackup.up()).toFixed(0))
}
