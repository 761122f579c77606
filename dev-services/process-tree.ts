import { runCommand } from './run-command.ts'

export interface ProcessInfo {
  pid: number
  residentBytes: number
}

/** A process and everything below it, as `ps` sees them now. */
export async function processTree(root: number): Promise<ProcessInfo[]> {
  const lines = (await runCommand(['ps', '-A', '-o', 'pid=,ppid=,rss='])).trim().split('\n')
  const processes = lines.map((line) => {
    const [pid = 0, parent = 0, residentKilobytes = 0] = line.trim().split(/\s+/).map(Number)
    return { pid, parent, residentBytes: residentKilobytes * 1024 }
  })
  const tree = processes.filter(({ pid }) => pid === root)
  for (const known of tree) tree.push(...processes.filter(({ parent }) => parent === known.pid)) // grows while it is walked
  return tree
}
