/** Which files an agent may write: what readers read, and data that orders it. Nothing that a build runs. */
import { asFileSystemsRead } from './path-names.ts'

const pageExtensions = new Set(['md', 'mdx', 'markdown', 'rst', 'adoc', 'asciidoc'])

// Not svg: it carries scripts, and sites serve it from their own origin. Not html, for the same reason.
const imageExtensions = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'ico'])

// Files that only say which page stands where. Not mkdocs.yml, book.toml, antora.yml, conf.py or _quarto.yml: they also
// name commands and plugins that the build runs. A project that wants one changed lists its path.
// Not .txt as such: requirements.txt is one.
const navigationNames = new Set([
  '_meta.json',
  'meta.json',
  'docs.json',
  'mint.json',
  'nav.json',
  'navigation.json',
  'toc.json',
  'sidebar.json',
  'sidebars.json',
  '_category_.json',
  '_category_.yml',
  '_category_.yaml',
  'toc.yml',
  'toc.yaml',
  '_toc.yml',
  'nav.yml',
  'nav.yaml',
  'navigation.yml',
  'sidebar.yml',
  'sidebar.yaml',
  '.pages',
  '.nav.yml',
  '.order',
  'llms.txt',
  'llms-full.txt',
])

export const isDocsFile = (name: string): boolean =>
  navigationNames.has(name) || isPage(name) || imageExtensions.has(extensionOf(name))

export const isPage = (name: string): boolean => pageExtensions.has(extensionOf(name))

const extensionOf = (name: string): string => /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

export const isHiddenNavigation = (name: string): boolean => name.startsWith('.') && navigationNames.has(name)

const ciFolders = ['github', 'gitlab', 'gitea', 'forgejo', 'circleci', 'woodpecker', 'buildkite', 'semaphore', 'tekton']
const ciFolder = new RegExp(`^\\.(${ciFolders.join('|')})$`)
const ciFile =
  /^(jenkinsfile|\.?(gitlab-ci|travis|appveyor|drone|cirrus|woodpecker|azure-pipelines|bitbucket-pipelines|buildspec|cloudbuild)\.(ya?ml|json|star))$/

// What agents read as orders: a change here would outlive the pull request, in every later agent's head. In this case
// only: a page about agents is called agents.md.
const agentInstructions = /^(AGENTS?|CLAUDE|CRUSH|GEMINI|QWEN|SKILL|WARP)(\.\w+)?\.[mM][dD]$/

const gitConfiguration = /^(\.git(modules|attributes|ignore|config)|\.mailmap|\.lfsconfig)$/
/** As NTFS abbreviates them. */
const shortGitConfiguration = /^(gitmod|gitatt|gitign|mailma|gi[0-9a-f]{4})~\d+$/

export type ForbiddenPlace = 'ci_file' | 'code_owners' | 'agent_instructions' | 'git_configuration'

export function forbiddenPlace(component: string): ForbiddenPlace | undefined {
  if (agentInstructions.test(component)) return 'agent_instructions'
  const read = asFileSystemsRead(component)
  if (ciFolder.test(read) || ciFile.test(read)) return 'ci_file'
  if (read === 'codeowners') return 'code_owners'
  if (gitConfiguration.test(read) || shortGitConfiguration.test(read)) return 'git_configuration'
  return undefined
}
