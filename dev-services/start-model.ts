/** The scripted model: stands in for the model's vendor, and for nothing else. */
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { Part } from './managed-process.ts'

export interface Model {
  part: Part
  url: string
}

export async function startModel(directory: string): Promise<Model> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const part = new Part({
    name: 'model',
    command: [process.execPath, join(import.meta.dirname, 'model/server.ts'), '--port', String(port)],
    logFile: join(directory, 'model.log'),
    isReady: async () => (await fetch(`${url}/calls`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 20,
  })
  await part.start()
  return { part, url }
}
