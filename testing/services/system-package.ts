import { findBinary } from './find-binary.ts'
import { runCommand } from './run-command.ts'

/** Installs a Debian package if this process is root. Otherwise it fails with the command to run. */
export async function ensureSystemPackage(name: string, isInstalled: () => boolean): Promise<void> {
  if (isInstalled()) return
  const install = ['apt-get', 'install', '--yes', '--no-install-recommends', name]
  if (!findBinary('apt-get'))
    throw new Error(`${name} is missing. Install it with your package manager (on macOS: brew install ${name}).`)
  if (process.getuid?.() !== 0) throw new Error(`${name} is missing. Install it with: sudo ${install.join(' ')}`)
  console.error(`Installing ${name} from Debian's packages (about 20 s)`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await runCommand(['apt-get', 'update'], { env })
  await runCommand(install, { env })
}
