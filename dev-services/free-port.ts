import { createServer } from 'node:net'

// Below the range from which systems take ports for outgoing connections: a part that is killed finds its port free again.
const lowest = 10_000
const highest = 32_000
const given = new Set<number>()

/** A port that is free on loopback and that this process has not given before. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1000; tries++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error(`no free port between ${lowest} and ${highest} on 127.0.0.1`)
}

/** The port people know by heart, or another where somebody has it already. */
export const preferredPort = async (port: number): Promise<number> => ((await isFree(port)) ? port : freePort())

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
