/** Starts the scripted model, which simulates a model provider. */
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { ManagedProcess } from './managed-process.ts'

export interface RunningModelSimulator {
  process: ManagedProcess
  url: string
}

export async function startModelSimulator(directory: string): Promise<RunningModelSimulator> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const managedProcess = new ManagedProcess({
    name: 'model',
    command: [process.execPath, join(import.meta.dirname, '../simulators/model/server.ts'), '--port', String(port)],
    logFile: join(directory, 'model.log'),
    isReady: async () => (await fetch(`${url}/calls`, { signal: AbortSignal.timeout(1000) })).ok,
    readyWithinSeconds: 20,
  })
  await managedProcess.start()
  return { process: managedProcess, url }
}
