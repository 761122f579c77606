/** A stand-in in the test's own process, with its repositories in a directory that goes with it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from '../../free-port.ts'
import { ApiDescription } from '../api-description.ts'
import { readDescription } from '../descriptions.ts'
import { type GithubControl, githubControl } from '../github-control.ts'
import { createGithubServer } from '../github-server.ts'

export interface Answered {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape; the stand-in checks them itself
  body: any
  headers: Headers
}

export interface TestGithub {
  url: string
  control: GithubControl
  api(token: string | undefined, method: string, path: string, body?: unknown): Promise<Answered>
}

/** One for all tests of a file: to compile its schemas takes seconds. */
const description = new ApiDescription(await readDescription())

export async function testGithub(): Promise<TestGithub> {
  const directory = mkdtempSync(join(tmpdir(), 'github-stand-in-'))
  const url = `http://127.0.0.1:${await freePort()}`
  const server = createGithubServer({ url, directory, adminToken: 'control', description })
  await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(directory, { recursive: true, force: true })
  })
  return { url, control: githubControl({ url, adminToken: 'control' }), api: (...call) => ask(url, ...call) }
}

async function ask(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered> {
  const response = await fetch(path.startsWith('http') ? path : `${url}/api/v3${path}`, {
    method,
    redirect: 'manual',
    headers: {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      ...(token && { authorization: token.includes(' ') ? token : `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : parsed(text), headers: response.headers }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
