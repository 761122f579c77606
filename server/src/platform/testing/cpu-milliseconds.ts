/** The CPU time of synchronous work: unlike wall-clock time, it does not grow when other processes use the machine. */
export function cpuMillisecondsOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
