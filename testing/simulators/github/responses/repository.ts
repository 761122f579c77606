import { isLevelAtLeast } from '../permission-levels.ts'
import { fullName, type PermissionLevel, type Repository, type State } from '../state.ts'
import { accountResponse, nodeId } from './account.ts'

/** A time with a precision of seconds, as on GitHub. */
export const formatGithubTime = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, 'Z')

const paths = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
} as const

type PathUrls = { [name in keyof typeof paths]: string }

export const repositoryApiUrl = (state: State, repository: Repository): string =>
  `${state.apiUrl}/repos/${fullName(repository)}`

export const repositoryPageUrl = (state: State, repository: Repository): string =>
  `${state.url}/${fullName(repository)}`

/** The fields that all forms of a repository have. */
export function minimalRepositoryResponse(state: State, repository: Repository) {
  const url = repositoryApiUrl(state, repository)
  const urls = Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, url + path])) as PathUrls
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: fullName(repository),
    private: repository.isPrivate,
    owner: accountResponse(state, repository.owner),
    html_url: repositoryPageUrl(state, repository),
    description: null,
    fork: false,
    url,
    ...urls,
  }
}

export function repositoryResponse(state: State, repository: Repository) {
  const page = repositoryPageUrl(state, repository)
  const openIssues = repository.pullRequests.filter((pullRequest) => pullRequest.state === 'open').length
  return {
    ...minimalRepositoryResponse(state, repository),
    created_at: formatGithubTime(repository.createdAt),
    updated_at: formatGithubTime(repository.pushedAt),
    pushed_at: formatGithubTime(repository.pushedAt),
    git_url: `git://${new URL(state.url).host}/${fullName(repository)}.git`,
    ssh_url: `git@${new URL(state.url).hostname}:${fullName(repository)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    homepage: null,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: repository.isArchived,
    disabled: false,
    open_issues_count: openIssues,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repository.isPrivate ? 'private' : 'public',
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    default_branch: repository.defaultBranch,
  }
}

/** Adds the caller's permissions. `role` is undefined for an App, which GitHub shows with read permission only. */
export const withPermissions = <T extends object>(response: T, role: PermissionLevel | undefined) => ({
  ...response,
  permissions: {
    admin: role === 'admin',
    maintain: role === 'admin',
    push: isLevelAtLeast(role, 'write'),
    triage: isLevelAtLeast(role, 'write'),
    pull: true,
  },
})

export const fullRepositoryResponse = (state: State, repository: Repository, role: PermissionLevel | undefined) => ({
  ...withPermissions(repositoryResponse(state, repository), role),
  temp_clone_token: '',
  allow_squash_merge: true,
  allow_merge_commit: true,
  allow_rebase_merge: true,
  allow_auto_merge: false,
  delete_branch_on_merge: false,
  allow_update_branch: false,
  use_squash_pr_title_as_default: false,
  ...(repository.owner.type === 'Organization' && { organization: accountResponse(state, repository.owner) }),
  network_count: 0,
  subscribers_count: 0,
})
