import { runCommand } from './run-command.ts'

export interface ProcessInfo {
  pid: number
  residentBytes: number
}

/** Lists a process and all its descendants, according to `ps`. */
export async function processTree(root: number): Promise<ProcessInfo[]> {
  const lines = (await runCommand(['ps', '-A', '-o', 'pid=,ppid=,rss='])).trim().split('\n')
  const processes = lines.map((line) => {
    const [pid = 0, parent = 0, residentKilobytes = 0] = line.trim().split(/\s+/).map(Number)
    return { pid, parent, residentBytes: residentKilobytes * 1024 }
  })
  const tree = processes.filter(({ pid }) => pid === root)
  for (const ancestor of tree) tree.push(...processes.filter(({ parent }) => parent === ancestor.pid)) // the loop also visits the processes that it appends
  return tree
}
