/** Which files an agent may write by their name: pages, images and lists of pages. What is in them is checked by the content gate. */
import { findCommonNavigation } from '../../site-generators/generators/unknown.ts'
import { extensionOf, isPage } from '../../site-generators/page-format.ts'
import { canonicalizeName } from './path-names.ts'

// Not html: it can contain scripts, and sites serve it from their own origin. SVG can as well, so its contents are checked.
const imageExtensions = new Set(['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'ico', 'svg'])

// Not .txt in general: requirements.txt is one.
const plainTextNames = new Set(['.order', 'llms.txt', 'llms-full.txt'])

export const isImage = (name: string): boolean => imageExtensions.has(extensionOf(name))

export const isDocsFile = (name: string): boolean =>
  plainTextNames.has(name) || isCommonNavigation(name) || isPage(name) || isImage(name)

/** Files that only list pages, whichever generator reads them. Configuration of a site that also lists pages is not among them. */
const isCommonNavigation = (name: string): boolean => findCommonNavigation(name) !== undefined

export const isHiddenDocsFile = (name: string): boolean =>
  name.startsWith('.') && (plainTextNames.has(name) || isCommonNavigation(name))

const ciFolders = ['github', 'gitlab', 'gitea', 'forgejo', 'circleci', 'woodpecker', 'buildkite', 'semaphore', 'tekton']
const ciFolder = new RegExp(`^\\.(${ciFolders.join('|')})$`)
const ciFile =
  /^(jenkinsfile|\.?(gitlab-ci|travis|appveyor|drone|cirrus|woodpecker|azure-pipelines|bitbucket-pipelines|buildspec|cloudbuild)\.(ya?ml|json|star))$/

// Files that agents read as instructions: a change would outlive the pull request and affect every later agent. The pattern
// is case-sensitive because a page about agents is called agents.md. At the root, where agents look first, the name is refused in any
// case: on macOS and Windows, agents.md is AGENTS.md.
const agentInstructions = /^(AGENTS?|CLAUDE|CRUSH|GEMINI|QWEN|SKILL|WARP)(\.\w+)?\.[mM][dD]$/
const rootAgentInstructions = /^(agents?|claude|crush|gemini|qwen|replit|skill|warp)(\.\w+)?\.md$/

const gitConfiguration = /^(\.git(modules|attributes|ignore|config)|\.mailmap|\.lfsconfig)$/
/** Their NTFS short names. */
const shortGitConfiguration = /^(gitmod|gitatt|gitign|mailma|gi[0-9a-f]{4})~\d+$/

export type ProtectedFileKind = 'ci_file' | 'codeowners' | 'agent_instructions' | 'git_configuration'

/** Of a file or folder on the path. */
export function findProtectedFileKind(path: string): ProtectedFileKind | undefined {
  if (rootAgentInstructions.test(canonicalizeName(path))) return 'agent_instructions'
  for (const component of path.split('/')) {
    const kind = findProtectedNameKind(component)
    if (kind) return kind
  }
  return undefined
}

function findProtectedNameKind(component: string): ProtectedFileKind | undefined {
  if (agentInstructions.test(component)) return 'agent_instructions'
  const folded = canonicalizeName(component)
  if (ciFolder.test(folded) || ciFile.test(folded)) return 'ci_file'
  if (folded === 'codeowners') return 'codeowners'
  if (gitConfiguration.test(folded) || shortGitConfiguration.test(folded)) return 'git_configuration'
  return undefined
}
