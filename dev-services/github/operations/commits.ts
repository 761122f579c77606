import { defineRepositoryOperation, type Operations, paginate, type RepositoryCall } from '../api-call.ts'
import { ApiError, notFound } from '../api-error.ts'
import { type Commit, changedFiles, mergeBase, readCommit, readCommits, resolveCommit } from '../git.ts'
import { commitResponse, fileResponse } from '../responses/commit.ts'
import { repositoryApiUrl, repositoryPageUrl } from '../responses/repository.ts'

export async function requireCommit({ repository }: RepositoryCall, name: string): Promise<Commit> {
  const sha = await resolveCommit(repository.directory, name)
  const commit = sha && (await readCommit(repository.directory, sha))
  if (!commit) throw new ApiError(422, `No commit found for SHA: ${name}`)
  return commit
}

export const commitOperations: Operations = {
  'repos/list-commits': defineRepositoryOperation('contents:read', async (call) => {
    const { repository, query, state } = call
    const start = await resolveCommit(repository.directory, String(query.sha ?? repository.defaultBranch))
    if (!start) {
      if (repository.branches.size === 0) throw new ApiError(409, 'Git Repository is empty.')
      throw notFound()
    }
    const filters = [
      ...(query.since ? [`--since=${query.since}`] : []),
      ...(query.until ? [`--until=${query.until}`] : []),
      ...(query.author ? [`--author=${query.author}`] : []),
    ]
    const { items, headers } = paginate(await readCommits(repository.directory, [...filters, start]), call)
    return { status: 200, body: items.map((commit) => commitResponse(state, repository, commit)), headers }
  }),

  'repos/get-commit': defineRepositoryOperation('contents:read', async (call) => {
    const { repository, params, state } = call
    const commit = await requireCommit(call, params.ref ?? '')
    const files = await changedFiles(repository.directory, commit.parents[0], commit.sha)
    return { status: 200, body: commitResponse(state, repository, commit, files) }
  }),

  'repos/compare-commits-with-basehead': defineRepositoryOperation('contents:read', async (call) => {
    const { repository, params, state } = call
    const { directory } = repository
    const [baseName = '', headName = ''] = (params.basehead ?? '')
      .split('...')
      .map((name) => name.replace(`${repository.owner.login}:`, ''))
    const base = await resolveCommit(directory, baseName)
    const head = await resolveCommit(directory, headName)
    const fork = base && head && (await mergeBase(directory, base, head))
    if (!fork) throw notFound()
    const baseCommit = await readCommit(directory, base)
    const forkCommit = await readCommit(directory, fork)
    if (!baseCommit || !forkCommit) throw notFound()
    const ahead = await readCommits(directory, [`${base}..${head}`])
    const behind = await readCommits(directory, [`${head}..${base}`])
    const { items, headers } = paginate(ahead.toReversed(), call)
    const url = `${repositoryApiUrl(state, repository)}/compare/${params.basehead}`
    const page = `${repositoryPageUrl(state, repository)}/compare/${params.basehead}`
    return {
      status: 200,
      headers,
      body: {
        url,
        html_url: page,
        permalink_url: page,
        diff_url: `${page}.diff`,
        patch_url: `${page}.patch`,
        base_commit: commitResponse(state, repository, baseCommit),
        merge_base_commit: commitResponse(state, repository, forkCommit),
        status:
          ahead.length > 0 ? (behind.length > 0 ? 'diverged' : 'ahead') : behind.length > 0 ? 'behind' : 'identical',
        ahead_by: ahead.length,
        behind_by: behind.length,
        total_commits: ahead.length,
        commits: items.map((commit) => commitResponse(state, repository, commit)),
        files: (await changedFiles(directory, fork, head)).map((file) => fileResponse(state, repository, head, file)),
      },
    }
  }),
}
