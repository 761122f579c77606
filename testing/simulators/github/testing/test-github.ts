/** Runs the GitHub simulator in the test's process, with its repositories in a temporary directory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ApiDescription } from '../api-description.ts'
import { readDescription } from '../descriptions.ts'
import { createGithubControlClient, type GithubControl } from '../github-control.ts'
import { startGithubServer } from '../github-server.ts'

export interface TestResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape; the simulator validates them itself
  body: any
  headers: Headers
}

export interface TestGithub {
  url: string
  control: GithubControl
  api(token: string | undefined, method: string, path: string, body?: unknown): Promise<TestResponse>
}

/** Shared by all tests of a file, because compiling the schemas takes seconds. */
const description = new ApiDescription(await readDescription())

export async function startTestGithub(): Promise<TestGithub> {
  const directory = mkdtempSync(join(tmpdir(), 'github-simulator-'))
  const { url, stop } = await startGithubServer({ port: 0, directory, adminToken: 'control', description })
  onTestFinished(async () => {
    await stop()
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    url,
    control: createGithubControlClient({ url, adminToken: 'control' }),
    api: (...call) => callApi(url, ...call),
  }
}

async function callApi(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestResponse> {
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
  return { status: response.status, body: text === '' ? undefined : parseJson(text), headers: response.headers }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
