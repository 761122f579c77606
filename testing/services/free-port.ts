import { createServer } from 'node:net'

// Below the range for outgoing connections, so that a process that was killed finds its port free again.
const minPort = 10_000
const maxPort = 32_000
/** The only one of this range that `fetch` and browsers refuse to connect to (Fetch standard, "bad port"). */
const refusedByFetch = 10_080
const usedPorts = new Set([refusedByFetch])

/** Returns a port that is free on loopback and that this process has not returned before. */
export async function freePort(): Promise<number> {
  for (let attempts = 0; attempts < 1000; attempts++) {
    const port = minPort + Math.floor(Math.random() * (maxPort - minPort))
    if (usedPorts.has(port) || !(await isFree(port))) continue
    usedPorts.add(port)
    return port
  }
  throw new Error(`There is no free port between ${minPort} and ${maxPort} on 127.0.0.1.`)
}

/** Returns the given well-known port if it is free, otherwise another one. */
export const preferredPort = async (port: number): Promise<number> => ((await isFree(port)) ? port : freePort())

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
