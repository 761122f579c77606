# Generated from the API description: run `npm run python-client`.

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

from typing_extensions import NotRequired


class CreateJobRequest(TypedDict):
    prompt: str
    """
    Task for the agent.
    """

    ref: NotRequired[str]
    """
    Branch to work from. Defaults to the base branch of the repository.
    """

    model: NotRequired[str]
    """
    Name of a model that the project can use. Defaults to the default model.
    """

    title: NotRequired[str]
    """
    Title of the job and of its pull request. By default the agent chooses one.
    """

    draft: NotRequired[bool]
    """
    Whether the pull request is opened as a draft.
    """

    publish: NotRequired[Literal['pull_request', 'diff']]
    """
    `pull_request` pushes a branch and opens a pull request. `diff` pushes nothing; read the changes with the diff endpoint.
    """

    topic: NotRequired[str]
    """
    Your name for a line of work. There is at most one open job per topic: if one exists, the prompt is sent to it as a message and the response is 200.
    """

    metadata: NotRequired[dict[str, str]]
    """
    Your own key-value pairs. They are returned unchanged.
    """


class SendMessageRequest(TypedDict):
    prompt: str
    """
    Task for the agent.
    """

    failedCheck: NotRequired[str]
    """
    Name of a failed CI check of the pull request. The agent gets the log of the check together with the prompt.
    """

    resolveConflicts: NotRequired[bool]
    """
    Whether to merge the base branch into the branch of the pull request first, so that the agent resolves the conflicts. The pull request must be open.
    """


class ListJobsParametersQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[Literal['active', 'completed', 'archived', 'failed']]
    outcome: NotRequired[Literal['pull_request', 'diff', 'no_changes', 'awaiting_approval', 'rejected', 'cancelled', 'error']]
    q: NotRequired[str]


class ListMessagesParametersQuery(TypedDict):
    before: NotRequired[int]
    limit: NotRequired[int]


class GetDiffResponse(TypedDict):
    diff: str | None
    """
    The changes in the format of `git diff`. Null if no file was changed.
    """

    diffSha256: str | None
    """
    SHA-256 of `diff`, in hexadecimal. If it is `approval.diffSha256` of the job, this is the diff that awaits approval.
    """


class ApproveResultRequest(TypedDict):
    diffSha256: str
    """
    SHA-256 of the diff that you have read, in hexadecimal, as in `approval.diffSha256` of the job.
    """


class RejectResultRequest(TypedDict):
    diffSha256: str
    """
    SHA-256 of the diff that you have read, in hexadecimal, as in `approval.diffSha256` of the job.
    """


class ListEventsParametersQuery(TypedDict):
    after: NotRequired[str]
    limit: NotRequired[int]


class TestProjectModelRequest(TypedDict):
    model: str
    """
    Name of the model, or `default` for the default model of the project.
    """


class IngestViewsRequestView(TypedDict):
    path: str
    """
    Target of the request line: percent-encoded, with its query.
    """

    userAgent: str
    """
    User-Agent header of the request. Empty if there was none.
    """

    at: NotRequired[str]
    """
    Time of the request. Defaults to now. A time in the future counts as now. Requests that are more than 13 months old are dropped; import older logs with `colophon-server import-logs`.
    """

    method: NotRequired[str]
    """
    HTTP method of the request.
    """

    status: NotRequired[int]
    """
    HTTP status of the response.
    """

    accept: NotRequired[str]
    """
    Accept header of the request. Empty if there was none.
    """

    prefetch: NotRequired[bool]
    """
    Whether the browser fetched the page in advance, with the header `Sec-Purpose: prefetch`.
    """


class IngestViewsRequest(TypedDict):
    views: list[IngestViewsRequestView]
    """
    The requests to report.
    """


class ListViewsParametersQuery(TypedDict):
    dateFrom: NotRequired[str]
    dateTo: NotRequired[str]
    limit: NotRequired[int]
    offset: NotRequired[int]
    aiScope: NotRequired[Literal['all', 'assistants']]
    path: NotRequired[str]
    q: NotRequired[str]


class ExportViewsParametersQuery(TypedDict):
    dateFrom: NotRequired[str]
    dateTo: NotRequired[str]
    aiScope: NotRequired[Literal['all', 'assistants']]


class GetViewTimeseriesParametersQuery(TypedDict):
    dateFrom: NotRequired[str]
    dateTo: NotRequired[str]
    interval: NotRequired[Literal['quarter_hour', 'hour', 'day', 'week', 'month']]
    timeZone: NotRequired[str]
    aiScope: NotRequired[Literal['all', 'assistants']]
    path: NotRequired[str]


class ListClientsParametersQuery(TypedDict):
    dateFrom: NotRequired[str]
    dateTo: NotRequired[str]
    path: NotRequired[str]


ListClientsResponseClient = TypedDict(
    'ListClientsResponseClient',
    {
        'class': Literal['human', 'assistant', 'ai-search', 'ai-training', 'search', 'other-bot'],
        'name': str,
        'views': int,
    },
)


class GetCoverageParametersQuery(TypedDict):
    dateFrom: NotRequired[str]
    dateTo: NotRequired[str]


class GetCoverageResponseSource(TypedDict):
    source: Literal['script', 'servers']
    """
    The source: the `script` in the browser, or `servers` including imported logs.
    """

    firstDay: str
    """
    First day (UTC) for which the source reported views.
    """

    lastDay: str
    """
    Last day (UTC) for which the source reported views.
    """


class GetCoverageResponse(TypedDict):
    human: Literal['measured', 'not_measured']
    """
    `not_measured` if no source that counts humans reported views in this range. A count of 0 is then meaningless.
    """

    ai: Literal['measured', 'not_measured']
    """
    `not_measured` if no server reported views in this range, because the browser script cannot see AI clients. A count of 0 is then meaningless.
    """

    sources: list[GetCoverageResponseSource]
    """
    All sources that ever reported views of the project, including outside the range.
    """


ListLiveEventsResponseEventClient = TypedDict(
    'ListLiveEventsResponseEventClient',
    {
        'class': Literal['human', 'assistant', 'ai-search', 'ai-training', 'search', 'other-bot'],
        'name': str,
    },
)


class ListLiveEventsResponseEvent(TypedDict):
    at: str
    """
    Time of the page view. For a dropped event, the time at which it arrived.
    """

    path: str
    """
    Path of the page.
    """

    source: Literal['script', 'servers', 'logs']
    """
    Source that reported the event.
    """

    client: ListLiveEventsResponseEventClient | None
    """
    Client that requested the page. Null if the event was dropped.
    """

    reason: Literal['not_get', 'not_successful', 'prefetch', 'invalid_path', 'path_too_long', 'not_a_page', 'counted_elsewhere', 'too_old', 'opted_out', 'origin_not_allowed', 'rate_limited', 'daily_limit'] | None
    """
    Why the event was dropped. Null if it was counted.
    """


class ListLiveEventsResponse(TypedDict):
    events: list[ListLiveEventsResponseEvent]
    """
    Events, newest first.
    """


class ClassifyClientParametersQuery(TypedDict):
    userAgent: NotRequired[str]
    path: NotRequired[str]
    accept: NotRequired[str]


ChangeAnalyticsSettingsRequestAllowedOrigin: TypeAlias = str


class ChangeAnalyticsSettingsRequest(TypedDict):
    humanSource: NotRequired[Literal['script', 'servers']]
    """
    Source that counts human traffic: the `script` in the browser, or `servers` and their logs. All other traffic is counted by servers. The default is `servers`. Creating the first site key switches it to `script`, unless you have set it yourself.
    """

    respectDoNotTrack: NotRequired[bool]
    """
    Whether the script does not count browsers that send Do Not Track or Global Privacy Control.
    """

    allowedOrigins: NotRequired[list[ChangeAnalyticsSettingsRequestAllowedOrigin]]
    """
    Origins whose pages can use the script, for example `https://docs.example.com`. Empty if any page can.
    """

    aiScope: NotRequired[Literal['all', 'assistants']]
    """
    Which clients count as AI if a request does not say: `all`, or only `assistants`, which read on behalf of a user.
    """

    retentionMonths: NotRequired[int | None]
    """
    Number of whole months for which page views are kept, in addition to the current month. Null to keep them forever.
    """


class CreateLogDrainRequest(TypedDict):
    name: str
    """
    Name for people.
    """

    format: Literal['json', 'nginx', 'apache', 'caddy', 'traefik', 'cloudfront', 'cloudflare', 'fastly', 'google-cloud', 'azure', 'akamai', 'vercel', 'netlify']
    """
    Format of the logs.
    """

    host: NotRequired[str | None]
    """
    Host name of the site. Requests for other hosts are ignored, and lines without a host cannot be read. Null: requests for any host are counted.
    """


class ChangeLogDrainRequest(TypedDict):
    name: NotRequired[str]
    """
    Name for people.
    """

    host: NotRequired[str | None]
    """
    Host name of the site. Requests for other hosts are ignored, and lines without a host cannot be read. Null: requests for any host are counted.
    """

    verification: NotRequired[str | None]
    """
    What proves to the host that the URL belongs to you. Vercel: the value of `x-vercel-verify` that it shows when you add the URL. Fastly: the ID of the service. Null for other hosts.
    """


class ListKeysParametersQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


CreateKeyRequestAllowedNetwork: TypeAlias = str


class CreateKeyRequest(TypedDict):
    name: str
    """
    Name of the key, for example of the program that uses it.
    """

    scopes: list[Literal['agent:read', 'agent:write', 'agent:approve', 'analytics:read', 'analytics:write', 'project:read', 'project:write']]
    """
    What the key can do. `project:write` gives full access, and can be granted only together with all other scopes.
    """

    expiresAt: NotRequired[str | None]
    """
    Time at which the key expires. If it is null or omitted, the key never expires.
    """

    allowedNetworks: NotRequired[list[CreateKeyRequestAllowedNetwork]]
    """
    Networks that the key can be used from, in CIDR notation. If it is empty or omitted, the key can be used from everywhere.
    """


class CreateFederatedIdentityRequest(TypedDict):
    name: str
    """
    Name of the federated identity. Keys that are given out for it have this name and the number of the run.
    """

    provider: Literal['github', 'gitlab', 'other']
    """
    CI service that issues the tokens. `github`: GitHub Actions. `gitlab`: GitLab CI/CD. `other`: any other issuer of ID tokens.
    """

    issuer: NotRequired[str]
    """
    URL of the issuer, exactly as in the claim `iss` of the tokens. The default is `https://token.actions.githubusercontent.com` for `github` and `https://gitlab.com` for `gitlab`.
    """

    claims: dict[str, str]
    """
    Claims that a token must have, with their exact text: there are no wildcards. Required are `repository` and `ref` for `github`, `project_path` and `ref_path` for `gitlab`, and `sub` for `other`.
    """

    scopes: NotRequired[list[Literal['agent:read', 'agent:write', 'analytics:read', 'analytics:write', 'project:read']]]
    """
    What the keys can do. The default is `agent:read` and `agent:write`. `project:write` and `agent:approve` cannot be given.
    """


class RenameProjectRequest(TypedDict):
    name: str
    """
    Name of the project.
    """


class DeleteProjectParametersQuery(TypedDict):
    name: str


class ConnectRepositoryRequest(TypedDict):
    host: Literal['gitea', 'github']
    """
    Software of the code host. `gitea` includes Forgejo.
    """

    url: str
    """
    URL of the code host, for example `https://github.com`.
    """

    owner: str
    """
    User or organization that owns the repository.
    """

    name: str
    """
    Name of the repository.
    """

    baseBranch: str
    """
    Branch that pull requests are opened against.
    """

    docsFolder: str
    """
    Folder of the docs pages in the repository, for example `docs`. Empty: the whole repository.
    """

    token: str
    """
    Access token of the code host, with write access to the repository. It is stored encrypted and never returned.
    """


ChangeRepositoryRequestPublishingLabel: TypeAlias = str


ChangeRepositoryRequestPublishingReviewer: TypeAlias = str


class ChangeRepositoryRequestPublishing(TypedDict):
    """
    Changes to how pull requests are opened. Omitted fields stay as they are.
    """

    branchTemplate: NotRequired[str]
    """
    Template of branch names. It must contain `{jobId}`.
    """

    titleTemplate: NotRequired[str]
    """
    Template of pull request titles. It must contain `{title}` and may contain `{jobId}`.
    """

    bodyTemplate: NotRequired[str]
    """
    Template of pull request descriptions, in Markdown. It must contain `{summary}` on a line of its own and may contain `{jobId}`.
    """

    labels: NotRequired[list[ChangeRepositoryRequestPublishingLabel]]
    """
    Names of labels for pull requests. Labels that do not exist on the code host are ignored.
    """

    reviewers: NotRequired[list[ChangeRepositoryRequestPublishingReviewer]]
    """
    User names on the code host of people who are asked to review pull requests.
    """

    draft: NotRequired[bool]
    """
    Whether pull requests are opened as drafts.
    """

    signOff: NotRequired[bool]
    """
    Whether commit messages have a `Signed-off-by` line.
    """


class ChangeRepositoryRequest(TypedDict):
    baseBranch: NotRequired[str]
    """
    Branch that pull requests are opened against.
    """

    docsFolder: NotRequired[str]
    """
    Folder of the docs pages in the repository, for example `docs`. Empty: the whole repository.
    """

    publishing: NotRequired[ChangeRepositoryRequestPublishing]
    """
    Changes to how pull requests are opened. Omitted fields stay as they are.
    """


class TestRepositoryRequest(TypedDict):
    host: Literal['gitea', 'github']
    """
    Software of the code host. `gitea` includes Forgejo.
    """

    url: str
    """
    URL of the code host, for example `https://github.com`.
    """

    owner: str
    """
    User or organization that owns the repository.
    """

    name: str
    """
    Name of the repository.
    """

    baseBranch: str
    """
    Branch that pull requests are opened against.
    """

    docsFolder: str
    """
    Folder of the docs pages in the repository, for example `docs`. Empty: the whole repository.
    """

    token: str
    """
    Access token of the code host, with write access to the repository. It is stored encrypted and never returned.
    """


ChangePublishingRulesRequestFurtherDocsFolder: TypeAlias = str


ChangePublishingRulesRequestAllowedPath: TypeAlias = str


class ChangePublishingRulesRequest(TypedDict):
    siteGenerator: NotRequired[Literal['docusaurus', 'mkdocs', 'zensical', 'vitepress', 'starlight', 'hugo', 'sphinx', 'jupyter-book', 'nextra', 'fumadocs', 'mintlify', 'mdbook', 'jekyll', 'antora', 'unknown'] | None]
    """
    Site generator that a person chose. Null: it is recognized from the repository.
    """

    furtherDocsFolders: NotRequired[list[ChangePublishingRulesRequestFurtherDocsFolder]]
    """
    Folders with docs pages in addition to `docsFolder`. The same rules apply to them.
    """

    allowedPaths: NotRequired[list[ChangePublishingRulesRequestAllowedPath]]
    """
    Further files that agents may change, whatever their type. A path that ends with `/` is a folder with everything in it, except for hidden files, which have to be named. CI configuration, CODEOWNERS, Git configuration and instructions for agents can never be changed.
    """

    activeContent: NotRequired[Literal['refuse', 'hold']]
    """
    What happens to a result with new content that a build or a browser would execute. `refuse`: the job fails. `hold`: nothing is pushed until a person approves it.
    """

    requireApproval: NotRequired[bool]
    """
    Whether a person has to approve every result before it is pushed.
    """

    fixFailedChecks: NotRequired[bool]
    """
    Whether a failed CI check of a pull request is sent to the agent automatically, at most twice per pull request. It counts toward the budget like a message that a person sends.
    """


class StartGithubAuthorizationRequest(TypedDict):
    baseUrl: str
    """
    URL of GitHub, for example `https://github.com`.
    """


class StartGithubAuthorizationResponse(TypedDict):
    installUrl: str
    """
    URL on GitHub where the person installs the App and chooses repositories.
    """

    authorizeUrl: str
    """
    URL on GitHub where the person authorizes the App, if it is installed already.
    """


class CompleteGithubAuthorizationRequest(TypedDict):
    state: str
    """
    Query parameter `state` of the URL that GitHub redirected the browser to. Valid once, for 15 minutes.
    """

    code: str
    """
    Query parameter `code` of the URL that GitHub redirected the browser to.
    """


class TestGithubRepositoryRequest(TypedDict):
    authorizationId: str
    """
    ID of the authorization, as `completeGithubAuthorization` returned it.
    """

    repositoryId: int
    """
    ID of the repository on GitHub, as `completeGithubAuthorization` returned it.
    """

    baseBranch: str
    """
    Branch that pull requests are opened against.
    """

    docsFolder: str
    """
    Folder of the docs pages in the repository, for example `docs`. Empty: the whole repository.
    """


class ConnectGithubRepositoryRequest(TypedDict):
    authorizationId: str
    """
    ID of the authorization, as `completeGithubAuthorization` returned it.
    """

    repositoryId: int
    """
    ID of the repository on GitHub, as `completeGithubAuthorization` returned it.
    """

    baseBranch: str
    """
    Branch that pull requests are opened against.
    """

    docsFolder: str
    """
    Folder of the docs pages in the repository, for example `docs`. Empty: the whole repository.
    """


class ChangeProjectSettingsRequestBudget(TypedDict):
    """
    Limits that the project sets for itself. A limit above that of the instance (`instanceBudget`) is rejected.
    """

    maxTokensPerJob: int | None
    """
    Maximum tokens that the model calls of one job may use. Null if only the limit of the instance applies.
    """

    maxTokensPerMonth: int | None
    """
    Maximum tokens that all jobs may use in a calendar month (UTC). Null if only the limit of the instance applies.
    """

    maxUsdPerMonth: float | None
    """
    Maximum cost of all jobs in a calendar month (UTC), in US dollars. Null if only the limit of the instance applies.
    """


class ChangeProjectSettingsRequest(TypedDict):
    instructions: NotRequired[str | None]
    """
    Instructions for the agent in every job of the project. Null if there are none.
    """

    defaultModel: NotRequired[str | None]
    """
    Name of the model for jobs that do not name one. Null to use the default model of the instance.
    """

    jobRetentionDays: NotRequired[int | None]
    """
    Number of days after which jobs that have ended are permanently deleted. Null to keep them forever.
    """

    budget: NotRequired[ChangeProjectSettingsRequestBudget]
    """
    Limits that the project sets for itself. A limit above that of the instance (`instanceBudget`) is rejected.
    """


class GetProjectSpendParametersQuery(TypedDict):
    month: NotRequired[str]


class CreateRunnerRequest(TypedDict):
    name: str
    """
    Name of the runner.
    """

    expiresInDays: NotRequired[int | None]
    """
    Days until the token expires. Null: it never expires.
    """


class RotateRunnerTokenRequest(TypedDict):
    overlapHours: NotRequired[int]
    """
    How long the old token stays valid, at most 7 days.
    """

    expiresInDays: NotRequired[int | None]
    """
    Days until the token expires. Null: it never expires.
    """


class CreateWebhookEndpointRequest(TypedDict):
    kind: Literal['webhook', 'slack', 'teams', 'email']
    """
    `webhook`: signed requests as in Standard Webhooks. `slack`: messages through an incoming webhook of Slack. `teams`: messages through a webhook of a workflow in Microsoft Teams. `email`: plain text to a member of the project.
    """

    name: str
    """
    Name of the endpoint.
    """

    target: str
    """
    URL of the webhook or of the chat, or the email address of a member who has joined the project. The URL of a chat is stored encrypted and not returned again.
    """

    events: list[Literal['job.completed', 'job.failed', 'job.archived', 'job.awaiting_approval', 'job.pull_request.opened', 'job.pull_request.merged', 'job.pull_request.closed', 'budget.threshold', 'runner.offline']]
    """
    Types of the events that are sent to the endpoint.
    """

    maxPerSecond: NotRequired[int]
    """
    Maximum number of requests per second. By default 20 for a webhook and 1 for the others.
    """


class ChangeWebhookEndpointRequest(TypedDict):
    name: NotRequired[str]
    """
    Name of the endpoint.
    """

    events: NotRequired[list[Literal['job.completed', 'job.failed', 'job.archived', 'job.awaiting_approval', 'job.pull_request.opened', 'job.pull_request.merged', 'job.pull_request.closed', 'budget.threshold', 'runner.offline']]]
    """
    Types of the events that are sent to the endpoint.
    """

    maxPerSecond: NotRequired[int]
    """
    Maximum number of requests per second. By default 20 for a webhook and 1 for the others.
    """

    isEnabled: NotRequired[bool]
    """
    Whether events are sent to the endpoint.
    """


class RotateWebhookSecretRequest(TypedDict):
    overlapHours: NotRequired[int]
    """
    How long requests are also signed with the previous secret, at most 7 days.
    """


class ListWebhookDeliveriesParametersQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]
    status: NotRequired[Literal['pending', 'delivered', 'failed']]


class GetWebhookDeliveryResponseAttempt(TypedDict):
    """
    A request that was sent to the endpoint.
    """

    number: int
    """
    Number of the attempt, from 1.
    """

    startedAt: str
    """
    Time at which the request was sent.
    """

    durationMs: int | None
    """
    How long the request took, in milliseconds. Null while it runs, and if the process ended during it.
    """

    responseStatus: int | None
    """
    HTTP status of the response. Null if there was none.
    """

    responseBeginning: str | None
    """
    Beginning of the response, at most 2 KB. Null if there was none.
    """

    error: str | None
    """
    Why the attempt failed, as a sentence. Null if it has not.
    """


class ListMembersParametersQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class AddMemberRequest(TypedDict):
    email: str
    """
    Email address of the person.
    """

    role: Literal['owner', 'editor', 'viewer']
    """
    Role in the project. `owner`: full access. `editor`: reads everything, and manages jobs. `viewer`: reads everything.
    """


class ListCreatedAccessParametersQuery(TypedDict):
    role: NotRequired[Literal['owner', 'editor', 'viewer']]


ChangeMemberRoleRequestKeepItem: TypeAlias = str


class ChangeMemberRoleRequest(TypedDict):
    role: Literal['owner', 'editor', 'viewer']
    """
    Role in the project. `owner`: full access. `editor`: reads everything, and manages jobs. `viewer`: reads everything.
    """

    keep: NotRequired[list[ChangeMemberRoleRequestKeepItem]]
    """
    IDs of keys, federated identities, runners and invitations that are not revoked. You take them over: they are revoked when you lose access. An API key cannot take anything over.
    """


class RemoveMemberParametersQuery(TypedDict):
    keep: NotRequired[str]


class CreateInvitationRequest(TypedDict):
    email: str
    """
    Email address of the person.
    """

    role: Literal['owner', 'editor', 'viewer']
    """
    Role in the project. `owner`: full access. `editor`: reads everything, and manages jobs. `viewer`: reads everything.
    """


class RequireSecondFactorRequest(TypedDict):
    required: bool
    """
    Whether members who sign in with a password need a second factor to use the project. API keys do not.
    """


class ListAuditEntriesParametersQuery(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str]


class AgentJobSource(TypedDict):
    """
    Repository and branch that the job works from.
    """

    repository: str
    """
    Repository that the job works on, as `owner/name`.
    """

    ref: str
    """
    Branch that the job works from.
    """


class AgentJobError(TypedDict):
    """
    Why the last turn failed. Null unless `outcome` is `error`.
    """

    code: Literal['deadline_exceeded', 'agent_failed', 'no_runner_available', 'runner_lost', 'publish_timeout', 'branch_moved', 'result_refused', 'code_host_access_denied', 'budget_exhausted', 'model_unavailable', 'project_not_ready', 'internal_error']
    """
    Code of the error. `GET /errors/{code}` explains it.
    """

    message: str
    """
    What failed and what to do next, as a sentence.
    """


class AgentJobPullRequestCheck(TypedDict):
    name: str
    """
    Name of the CI check.
    """

    status: Literal['pending', 'passed', 'failed']
    """
    Result of the CI check. `pending` while it has not finished.
    """

    url: str | None
    """
    Page of the CI check. Null if the code host reports none.
    """

    summary: str | None
    """
    Short text that the CI check reports about its result. Null if it reports none.
    """

    log: str | None
    """
    End of the log. Null if the CI check has not failed, if the code host provides no log, and in lists of jobs.
    """


class AgentJobPullRequest(TypedDict):
    """
    The latest pull request of the job, in the state last read from the code host. Also present while the job is active. Null if the job has none.
    """

    url: str
    """
    Page of the pull request on the code host.
    """

    number: int
    """
    Number of the pull request in its repository.
    """

    branch: str
    """
    Branch with the changes.
    """

    state: Literal['open', 'merged', 'closed']
    """
    State of the pull request on the code host.
    """

    hasConflicts: bool | None
    """
    Whether the pull request conflicts with its base branch. Null if that is unknown or the pull request is no longer open.
    """

    previewUrl: str | None
    """
    Preview of the site with the changes. Null if the code host reports none.
    """

    checks: list[AgentJobPullRequestCheck]
    """
    CI checks that the code host reports for the last commit of the pull request.
    """


class AgentJobUsage(TypedDict):
    """
    Tokens and cost of the model calls of the job that have finished.
    """

    inputTokens: int
    """
    Number of tokens sent to the model.
    """

    outputTokens: int
    """
    Number of tokens that the model generated.
    """

    costUsd: float | None
    """
    Cost of the model calls in US dollars. Null if the price of a model is not configured.
    """


class AgentJobCheck(TypedDict):
    name: str
    """
    Name of the docs check.
    """

    status: Literal['passed', 'failed', 'not_checked']
    """
    Result of the docs check. `not_checked` if it could check none of the changed pages.
    """

    findings: list[str]
    """
    Problems found, one sentence each. Empty if there are none. If the docs check is `not_checked`, the reason.
    """

    note: NotRequired[str]
    """
    Changed pages that the docs check could not check, although it checked others. Omitted if it checked all of them.
    """


class AgentJobApprovalReason(TypedDict):
    code: str
    """
    Code of the reason, for example `active_content`.
    """

    path: str
    """
    File that the reason is about.
    """

    line: int | None
    """
    Line in the file. Null if it is about the whole file.
    """

    message: str
    """
    What was found, and where, as a sentence.
    """


class AgentJobApproval(TypedDict):
    """
    What a person is asked to approve. Null unless `outcome` is `awaiting_approval`.
    """

    diffSha256: str
    """
    SHA-256 of the diff that would be pushed, in hexadecimal. Send it to approve or reject the result.
    """

    isDiffComplete: bool
    """
    Whether the diff shows everything. A very large diff is cut off, and binary files other than images are only named.
    """

    reasons: list[AgentJobApprovalReason]
    """
    What would be refused without an approval. Empty if the project requires an approval of every result.
    """

    newHosts: list[str]
    """
    Host names in links and images of the result that no page of the repository named before.
    """

    requestedAt: str
    """
    Time at which the result was held.
    """


class AgentJob(TypedDict):
    """
    A job: a prompt, its follow-up messages, and the result.
    """

    id: str
    """
    ID of the job.
    """

    status: Literal['active', 'completed', 'archived', 'failed']
    """
    `active` while a message is queued or worked on. Then `completed` or `failed`, until a message makes the job active again. `archived` is final.
    """

    source: AgentJobSource
    """
    Repository and branch that the job works from.
    """

    model: str
    """
    Name of the model that the agent uses.
    """

    prLink: str | None
    """
    URL of the pull request. Null while the job is active, if no file was changed, if `publish` is `diff`, and until a result that awaits approval is approved.
    """

    createdAt: str
    """
    Time at which the job was created.
    """

    archivedAt: str | None
    """
    Time at which the job was archived. Null if it is not archived.
    """

    title: str | None
    """
    Title of the job: the one that it was created with, or else the one that the agent chose. Null until there is one.
    """

    promptPreview: str
    """
    Beginning of the first prompt, at most 200 characters.
    """

    publish: Literal['pull_request', 'diff']
    """
    How the result is published: as a pull request, or only as a diff that you can read.
    """

    topic: str | None
    """
    Topic that the job was created with. Null if it has none.
    """

    metadata: dict[str, str]
    """
    Key-value pairs that the job was created with.
    """

    outcome: Literal['pull_request', 'diff', 'no_changes', 'awaiting_approval', 'rejected', 'cancelled', 'error'] | None
    """
    How the last turn of the job ended. Null while the job is active. `awaiting_approval`: nothing was pushed, and a person has to approve the result. `rejected`: a person did not approve it.
    """

    error: AgentJobError | None
    """
    Why the last turn failed. Null unless `outcome` is `error`.
    """

    reply: str | None
    """
    Latest final message of the agent. Null until a turn has completed.
    """

    pullRequest: AgentJobPullRequest | None
    """
    The latest pull request of the job, in the state last read from the code host. Also present while the job is active. Null if the job has none.
    """

    queuedMessages: int
    """
    Number of messages that wait for their turn.
    """

    pendingStop: Literal['cancel', 'archive'] | None
    """
    Stop that was requested and takes effect when the current turn has stopped. Null if there is none.
    """

    usage: AgentJobUsage
    """
    Tokens and cost of the model calls of the job that have finished.
    """

    checks: list[AgentJobCheck]
    """
    Docs checks that the runner performed on the changed pages in the last completed turn.
    """

    newHosts: list[str]
    """
    Host names in links and images of the changes that no page of the repository named before. Check that they are what you expect.
    """

    approval: AgentJobApproval | None
    """
    What a person is asked to approve. Null unless `outcome` is `awaiting_approval`.
    """

    updatedAt: str
    """
    Time of the last change to the job.
    """


class AgentModelPrices(TypedDict):
    """
    Prices of the model, in US dollars per million tokens.
    """

    input: float | None
    """
    Price of a million input tokens, in US dollars. Null if it is not known.
    """

    output: float | None
    """
    Price of a million output tokens, in US dollars. Null if it is not known.
    """

    cacheRead: float | None
    """
    Price of a million input tokens that are read from the cache of the provider, in US dollars. Null if it is not known.
    """

    cacheWrite: float | None
    """
    Price of a million input tokens that are written to the cache of the provider, in US dollars. Null if it is not known.
    """


class AgentModel(TypedDict):
    """
    A model that jobs of a project may use.
    """

    name: str
    """
    Name of the model. Send it as `model` when you create a job.
    """

    isDefault: bool
    """
    Whether jobs of the project use this model unless they name one.
    """

    contextWindowTokens: int
    """
    Size of the context window of the model, in tokens.
    """

    maxOutputTokens: int
    """
    Maximum number of tokens in one response of the model.
    """

    prices: AgentModelPrices
    """
    Prices of the model, in US dollars per million tokens.
    """


AnalyticsSettingsAllowedOrigin: TypeAlias = str


class AnalyticsSettings(TypedDict):
    """
    How the page views of a project are counted and kept.
    """

    humanSource: Literal['script', 'servers']
    """
    Source that counts human traffic: the `script` in the browser, or `servers` and their logs. All other traffic is counted by servers. The default is `servers`. Creating the first site key switches it to `script`, unless you have set it yourself.
    """

    respectDoNotTrack: bool
    """
    Whether the script does not count browsers that send Do Not Track or Global Privacy Control.
    """

    allowedOrigins: list[AnalyticsSettingsAllowedOrigin]
    """
    Origins whose pages can use the script, for example `https://docs.example.com`. Empty if any page can.
    """

    aiScope: Literal['all', 'assistants']
    """
    Which clients count as AI if a request does not say: `all`, or only `assistants`, which read on behalf of a user.
    """

    retentionMonths: int | None
    """
    Number of whole months for which page views are kept, in addition to the current month. Null to keep them forever.
    """


class ApiKey(TypedDict):
    """
    An API key of a project, without its secret.
    """

    id: str
    """
    ID of the key.
    """

    name: str
    """
    Name of the key.
    """

    prefix: str
    """
    Beginning of the secret, by which you can recognize the key.
    """

    scopes: list[Literal['agent:read', 'agent:write', 'agent:approve', 'analytics:read', 'analytics:write', 'project:read', 'project:write']]
    """
    What the key can do.
    """

    allowedNetworks: list[str]
    """
    Networks that the key can be used from, in CIDR notation. Empty if it can be used from everywhere.
    """

    createdByKeyId: str | None
    """
    ID of the key that created this one. Revoking that key revokes this one too. Null if a person or `colophon-server admin` created it.
    """

    createdBy: str | None
    """
    Who created the key: the email address of a person, the ID of an API key or of a federated identity, or `operator` for `colophon-server admin`. The ID of the person if their account was deleted. Null if it is not known.
    """

    takenOverBy: str | None
    """
    Who kept the key when its creator lost access, and has taken it over. Null if nobody has. It is revoked when that person loses access.
    """

    exceedsScopes: bool
    """
    Whether the key can do more than its scopes say: it was created before `project:write` required all other scopes. Replace it by one with the scopes that it needs.
    """

    createdAt: str
    """
    Time at which the key was created.
    """

    expiresAt: str | None
    """
    Time at which the key expires. Null if it never expires.
    """

    lastUsedAt: str | None
    """
    Time at which the key was last used, to the minute. Null if it was never used.
    """

    revokedAt: str | None
    """
    Time at which the key was revoked. Null if it is not revoked.
    """


class AuditEntry(TypedDict):
    """
    An entry of the audit log: who did what. Entries are not changed, except that the email address of a person who is deleted is replaced by their ID, and are deleted when they are older than the instance keeps them.
    """

    id: str
    """
    ID of the audit entry.
    """

    at: str
    """
    Time at which the action was performed.
    """

    actor: str
    """
    Who performed the action: the ID of an API key, the email address of a person, `operator` for `colophon-server admin`, `code-host`, or `anonymous` for someone who failed to sign in. If the person was deleted, their ID.
    """

    action: str
    """
    The action, for example `key.created`.
    """

    subject: str
    """
    ID of the object that the action was performed on.
    """

    detail: dict[str, Any]
    """
    Further details. The fields depend on the action.
    """

    requestId: str | None
    """
    ID of the API request that performed the action. Null if it was not performed by an API request.
    """

    ipAddress: str | None
    """
    IP address of the client that sent the request. Null if it is not known, or if the person was deleted.
    """


ClientClassificationView = TypedDict(
    'ClientClassificationView',
    {
        'path': str,
        'surface': Literal['html', 'markdown', 'mdx', 'llms'],
        'class': Literal['human', 'assistant', 'ai-search', 'ai-training', 'search', 'other-bot'],
        'client': str,
        'rule': Literal['listed', 'accepts_markdown', 'browser', 'markdown_or_llms_txt', 'unrecognized'],
    },
)


class ClientClassification(TypedDict):
    """
    How a request would be counted, and why.
    """

    view: ClientClassificationView | None
    """
    The page view that would be counted. Null if the request would be dropped.
    """

    reason: Literal['not_get', 'not_successful', 'prefetch', 'invalid_path', 'path_too_long', 'not_a_page', 'counted_elsewhere', 'too_old'] | None
    """
    Why the request would be dropped. Null if it would be counted.
    """

    ruleVersion: str
    """
    Version of the rules and of the list of known clients.
    """


class CreatedAccess(TypedDict):
    """
    Access to a project that a person created, directly or with an API key: it is revoked with theirs.
    """

    kind: Literal['key', 'federated_identity', 'runner', 'invitation']
    """
    `key`: an API key. `federated_identity`: CI runs that can get API keys. `runner`: a runner of the project. `invitation`: an open invitation to the project.
    """

    id: str
    """
    ID of the key, federated identity, runner or invitation.
    """

    projectId: str
    """
    ID of the project that it gives access to.
    """

    name: str
    """
    Name of the key, federated identity or runner, or the email address that was invited.
    """

    scopes: list[Literal['agent:read', 'agent:write', 'agent:approve', 'analytics:read', 'analytics:write', 'project:read', 'project:write']] | None
    """
    Scopes of the key, or of the keys of the federated identity. Null for a runner and an invitation.
    """

    createdBy: str
    """
    The person, or the API key of theirs, that created it or has taken it over.
    """

    createdAt: str
    """
    Time at which it was created.
    """

    lastUsedAt: str | None
    """
    Time at which it was last used. Null if it was never used, or is an invitation.
    """


class CreatedSiteKey(TypedDict):
    """
    A new site key.
    """

    key: str
    """
    The key in the script tag. It is public: it can submit human page views and read nothing.
    """

    createdAt: str
    """
    Time at which the site key was created.
    """

    humanSourceSwitched: bool
    """
    Whether creating this key changed `humanSource` from `servers` to `script`. The first site key of a project does, unless you have set `humanSource` before.
    """


class DeletedProject(TypedDict):
    """
    A project that was deleted.
    """

    id: str
    """
    ID of the project.
    """

    deletedAt: str
    """
    Time from which on nobody can use the project. Its data is deleted in the background.
    """


class FederatedIdentity(TypedDict):
    """
    CI runs that can exchange their ID tokens for short-lived API keys of the project.
    """

    id: str
    """
    ID of the federated identity.
    """

    name: str
    """
    Name of the federated identity.
    """

    provider: Literal['github', 'gitlab', 'other']
    """
    CI service that issues the tokens. `github`: GitHub Actions. `gitlab`: GitLab CI/CD. `other`: any other issuer of ID tokens.
    """

    issuer: str
    """
    URL of the issuer, exactly as in the claim `iss` of the tokens.
    """

    claims: dict[str, str]
    """
    Claims that a token must have, with their exact text.
    """

    pinnedClaims: dict[str, str] | None
    """
    IDs of the repository and its owner in the first token that was exchanged. Later tokens must have the same ones: the name can be registered again by someone else. Null before the first exchange.
    """

    scopes: list[Literal['agent:read', 'agent:write', 'analytics:read', 'analytics:write', 'project:read']]
    """
    What the keys can do.
    """

    createdBy: str | None
    """
    Who created the federated identity: the email address of a person, the ID of an API key or of a federated identity, or `operator` for `colophon-server admin`. The ID of the person if their account was deleted. Null if it is not known.
    """

    takenOverBy: str | None
    """
    Who kept the federated identity when its creator lost access, and has taken it over. Null if nobody has. It is revoked when that person loses access.
    """

    createdAt: str
    """
    Time at which the federated identity was created.
    """

    lastUsedAt: str | None
    """
    Time of the last exchange. Null if there was none.
    """


class Health(TypedDict):
    """
    Liveness of the process.
    """

    status: Literal['alive']
    """
    Always `alive`.
    """

    version: str
    """
    Version of Colophon.
    """


class IngestedViewsDropped(TypedDict):
    """
    Number of requests dropped, by reason. A reason that does not occur is absent.
    """

    not_get: NotRequired[int]
    """
    Number of requests dropped because their method is not GET.
    """

    not_successful: NotRequired[int]
    """
    Number of requests dropped because their status is neither 200 nor 304.
    """

    prefetch: NotRequired[int]
    """
    Number of requests dropped because the browser fetched the page in advance.
    """

    invalid_path: NotRequired[int]
    """
    Number of requests dropped because their path is not valid.
    """

    path_too_long: NotRequired[int]
    """
    Number of requests dropped because the path of the page is longer than 1024 characters.
    """

    not_a_page: NotRequired[int]
    """
    Number of requests dropped because they are for an asset or another file that is not a page.
    """

    counted_elsewhere: NotRequired[int]
    """
    Number of requests dropped because another source counts this kind of client in the project, for example the script.
    """

    too_old: NotRequired[int]
    """
    Number of requests dropped because they are more than 13 months old.
    """


class IngestedViews(TypedDict):
    """
    How many of the reported requests were counted as page views, and why the others were dropped.
    """

    counted: int
    """
    Number of page views stored. Human and AI views appear in the counts of pages within 10 seconds while ClickHouse is available; search engines and other bots appear only in the views by client.
    """

    dropped: IngestedViewsDropped
    """
    Number of requests dropped, by reason. A reason that does not occur is absent.
    """

    isDuplicate: bool
    """
    Whether views with this `Idempotency-Key` were already stored within the last 7 days. If so, nothing of this request was stored; `counted` and `dropped` still describe this request.
    """


class Invitation(TypedDict):
    """
    An invitation to a project that has not been accepted yet.
    """

    id: str
    """
    ID of the invitation.
    """

    email: str
    """
    Email address of the invited person.
    """

    role: Literal['owner', 'editor', 'viewer']
    """
    Role in the project. `owner`: full access. `editor`: reads everything, and manages jobs. `viewer`: reads everything.
    """

    invitedBy: str
    """
    Who created or has taken over the invitation: the email address of a person, the ID of an API key, or `operator`.
    """

    createdAt: str
    """
    Time at which the invitation was created.
    """

    expiresAt: str
    """
    Time at which the invitation link expires.
    """


class JobEvent(TypedDict):
    """
    Something that the agent said or did, or a notice about its work.
    """

    id: str
    """
    ID of the event, unique within the job. Send it as `after` to get the events that follow.
    """

    turn: int
    """
    Number of the message that the agent works on.
    """

    attempt: int
    """
    Number of the attempt at the turn, from 1. If a runner is lost, another one starts a new attempt.
    """

    at: str
    """
    Time of the event.
    """

    type: str
    """
    Type of the event: `text`, `tool_call`, `tool_result` or `notice`. New types can be added.
    """

    text: NotRequired[str]
    """
    Text of the agent (`text`) or of Colophon (`notice`). Only in events of these two types.
    """

    callId: NotRequired[str]
    """
    ID that connects a `tool_result` with its `tool_call`. Only in events of these two types.
    """

    tool: NotRequired[str]
    """
    Name of the tool that the agent calls. Only in events of type `tool_call`.
    """

    input: NotRequired[str]
    """
    Input of the tool call, as JSON text. Only in events of type `tool_call`.
    """

    output: NotRequired[str]
    """
    Output of the tool. Only in events of type `tool_result`.
    """

    isError: NotRequired[bool]
    """
    Whether the tool call failed. Only in events of type `tool_result`.
    """


class JobMessageComment(TypedDict):
    """
    Comment on the pull request that became this message. Null if it was sent through the API.
    """

    author: str
    """
    Name of the author on the code host.
    """

    url: str
    """
    Page of the comment on the code host.
    """


class JobMessageError(TypedDict):
    """
    Why the turn failed. Null unless `outcome` is `error`.
    """

    code: Literal['deadline_exceeded', 'agent_failed', 'no_runner_available', 'runner_lost', 'publish_timeout', 'branch_moved', 'result_refused', 'code_host_access_denied', 'budget_exhausted', 'model_unavailable', 'project_not_ready', 'internal_error']
    """
    Code of the error. `GET /errors/{code}` explains it.
    """

    message: str
    """
    What failed and what to do next, as a sentence.
    """


class JobMessage(TypedDict):
    """
    A message of a job and the turn that works on it.
    """

    number: int
    """
    Number of the message in the job. 1 is the prompt that the job was created with.
    """

    prompt: str
    """
    Text of the message.
    """

    failedCheck: str | None
    """
    Name of the failed CI check whose log the agent got with the message. Null if there was none.
    """

    comment: JobMessageComment | None
    """
    Comment on the pull request that became this message. Null if it was sent through the API.
    """

    resolvesConflicts: bool
    """
    Whether the message asked to resolve the conflicts of the pull request with its base branch.
    """

    isAutomatic: bool
    """
    Whether Colophon sent the message itself, because a CI check of the pull request failed and the publishing rules ask for it.
    """

    status: Literal['queued', 'running', 'publishing', 'completed', 'failed', 'dropped']
    """
    State of the turn that works on the message. `dropped` if the message was still queued when the job was cancelled or archived.
    """

    outcome: Literal['pull_request', 'diff', 'no_changes', 'awaiting_approval', 'rejected', 'cancelled', 'error'] | None
    """
    How the turn ended. Null until it has ended, and if it was dropped.
    """

    error: JobMessageError | None
    """
    Why the turn failed. Null unless `outcome` is `error`.
    """

    reply: str | None
    """
    Final message of the agent in this turn. Null until the turn has completed, and if it failed.
    """

    createdAt: str
    """
    Time at which the message was sent.
    """

    startedAt: str | None
    """
    Time at which the turn started. Null while the message is queued.
    """

    claimedAt: str | None
    """
    Time at which a runner first claimed the turn. Null until then.
    """

    publishingStartedAt: str | None
    """
    Time at which publishing of the result began. Null until then, and if there is nothing to publish.
    """

    endedAt: str | None
    """
    Time at which the turn ended. Null until then.
    """


class Me(TypedDict):
    """
    The API key that the request was sent with.
    """

    projectId: str
    """
    ID of the project that the key belongs to.
    """

    keyId: str
    """
    ID of the key.
    """

    name: str
    """
    Name of the key.
    """

    scopes: list[Literal['agent:read', 'agent:write', 'agent:approve', 'analytics:read', 'analytics:write', 'project:read', 'project:write']]
    """
    What the key can do.
    """

    expiresAt: str | None
    """
    Time at which the key expires. Null if it never expires.
    """


class Member(TypedDict):
    """
    A person with a role in a project.
    """

    id: str
    """
    ID of the member.
    """

    email: str
    """
    Email address of the member.
    """

    role: Literal['owner', 'editor', 'viewer']
    """
    Role in the project. `owner`: full access. `editor`: reads everything, and manages jobs. `viewer`: reads everything.
    """

    createdAt: str
    """
    Time at which the member was added.
    """

    hasJoined: bool
    """
    Whether the person has accepted an invitation to this project. Until then they have no access.
    """

    isDisabled: bool
    """
    Whether an operator disabled the account of the person. They have no access then.
    """


class ModelTest(TypedDict):
    """
    Result of testing a model with one small call.
    """

    ok: bool
    """
    Whether the model responded as expected.
    """

    message: str
    """
    Result of the test, and what is wrong if it failed.
    """

    latencyMs: int
    """
    Duration of the test in milliseconds.
    """


class ProblemError(TypedDict):
    path: str
    """
    Location of the invalid value, for example `body/prompt` or `query/limit`.
    """

    message: str
    """
    What is wrong with the value, to be read after its `path`.
    """


class Problem(TypedDict):
    """
    An error as RFC 9457 problem details.
    """

    type: str
    """
    URI of the kind of error. It ends with the `code`.
    """

    title: str
    """
    Short name of the kind of error.
    """

    status: int
    """
    HTTP status of the response.
    """

    detail: str
    """
    What is wrong in this request and what to do next, as a sentence.
    """

    code: Literal['invalid_request', 'unauthenticated', 'insufficient_scope', 'insufficient_role', 'cross_origin', 'reauthentication_required', 'second_factor_required', 'ip_not_allowed', 'not_found', 'method_not_allowed', 'request_timeout', 'job_archived', 'not_cancellable', 'not_awaiting_approval', 'project_not_ready', 'queue_full', 'too_large', 'unsupported_media_type', 'idempotency_key_reused', 'rate_limited', 'internal_error', 'unavailable']
    """
    Code of the error, from a closed list. `GET /errors/{code}` explains it.
    """

    requestId: str
    """
    ID of the request. Include it when you report a problem to an operator.
    """

    error: str
    """
    Copy of `detail`, for clients that read only this field.
    """

    errors: NotRequired[list[ProblemError]]
    """
    The invalid values of the request. Absent if the error is not about a value.
    """


class Project(TypedDict):
    """
    A project: a docs repository and everything that belongs to it, such as members, API keys, jobs and page views.
    """

    id: str
    """
    ID of the project.
    """

    name: str
    """
    Name of the project.
    """

    createdAt: str
    """
    Time at which the project was created.
    """

    pausedAt: str | None
    """
    Time at which the project was paused. Null if it is not paused.
    """


class ProjectHealthComponents(TypedDict):
    """
    Whether the component works, and if not, why.
    """

    status: Literal['ok']
    """
    The component works.
    """

    latencyMs: int
    """
    Duration of the check in milliseconds.
    """


class ProjectHealthComponents1(TypedDict):
    """
    Whether the component works, and if not, why.
    """

    status: Literal['failing']
    """
    The component does not work.
    """

    reason: Literal['unreachable', 'timeout', 'read_only', 'disk_full', 'namespace_missing', 'migrations_pending', 'version_too_old', 'restore_unfinished']
    """
    Why the check failed. Details are in the server log.
    """


class ProjectHealthViewBuffer(TypedDict):
    """
    Page views of all projects that are stored in PostgreSQL and not yet loaded into ClickHouse.
    """

    bytes: int
    """
    Size of the buffered page views in bytes.
    """

    limitBytes: int
    """
    Maximum size of the buffer in bytes. When it is full, no more page views are accepted.
    """

    oldestWaitingAt: str | None
    """
    Time at which the oldest buffered page view was received. Null if the buffer is empty.
    """


class ProjectHealthVersions(TypedDict):
    """
    Versions of Colophon and of its database schema.
    """

    colophon: str
    """
    Version of Colophon that the `api` process runs.
    """

    schema: str | None
    """
    Last migration that was applied to PostgreSQL. Null if none was applied.
    """


class ProjectSettingsBudget(TypedDict):
    """
    Limits that the project sets for itself. Of these and those of the instance, the lower ones apply.
    """

    maxTokensPerJob: int | None
    """
    Maximum tokens that the model calls of one job may use. Null if only the limit of the instance applies.
    """

    maxTokensPerMonth: int | None
    """
    Maximum tokens that all jobs may use in a calendar month (UTC). Null if only the limit of the instance applies.
    """

    maxUsdPerMonth: float | None
    """
    Maximum cost of all jobs in a calendar month (UTC), in US dollars. Null if only the limit of the instance applies.
    """


class ProjectSettingsInstanceBudget(TypedDict):
    """
    Limits that the operator sets for each project. A project can set lower limits, but no higher ones.
    """

    maxTokensPerJob: int | None
    """
    Maximum tokens that the model calls of one job may use. Null if there is no limit.
    """

    maxTokensPerMonth: int | None
    """
    Maximum tokens that all jobs may use in a calendar month (UTC). Null if there is no limit.
    """

    maxUsdPerMonth: float | None
    """
    Maximum cost of all jobs in a calendar month (UTC), in US dollars. Null if there is no limit.
    """

    maxTokensPerHour: int | None
    """
    Maximum tokens that all jobs may use in a clock hour. Null if there is no limit.
    """

    maxUsdPerHour: float | None
    """
    Maximum cost of all jobs in a clock hour, in US dollars. Null if there is no limit.
    """


class ProjectSettingsEffectiveBudget(TypedDict):
    """
    Limits that apply to the project: the lower ones of its own and those of the instance.
    """

    maxTokensPerJob: int | None
    """
    Maximum tokens that the model calls of one job may use. Null if there is no limit.
    """

    maxTokensPerMonth: int | None
    """
    Maximum tokens that all jobs may use in a calendar month (UTC). Null if there is no limit.
    """

    maxUsdPerMonth: float | None
    """
    Maximum cost of all jobs in a calendar month (UTC), in US dollars. Null if there is no limit.
    """

    maxTokensPerHour: int | None
    """
    Maximum tokens that all jobs may use in a clock hour. Null if there is no limit.
    """

    maxUsdPerHour: float | None
    """
    Maximum cost of all jobs in a clock hour, in US dollars. Null if there is no limit.
    """


class ProjectSettingsUsageThisMonth(TypedDict):
    """
    What the jobs of the project have used in the current calendar month (UTC).
    """

    tokens: int
    """
    Tokens that the jobs of the project have used this month.
    """

    costUsd: float
    """
    Cost of the jobs of the project this month, in US dollars, as far as prices are known.
    """


class ProjectSettings(TypedDict):
    """
    Settings of the jobs of a project, with the defaults of the instance.
    """

    instructions: str | None
    """
    Instructions for the agent in every job of the project. Null if there are none.
    """

    defaultModel: str | None
    """
    Name of the model for jobs that do not name one. Null to use the default model of the instance.
    """

    jobRetentionDays: int | None
    """
    Number of days after which jobs that have ended are permanently deleted. Null to keep them forever.
    """

    instanceDefaultModel: str | None
    """
    Name of the default model of the instance for this project. Null if there is none.
    """

    budget: ProjectSettingsBudget
    """
    Limits that the project sets for itself. Of these and those of the instance, the lower ones apply.
    """

    instanceBudget: ProjectSettingsInstanceBudget
    """
    Limits that the operator sets for each project. A project can set lower limits, but no higher ones.
    """

    effectiveBudget: ProjectSettingsEffectiveBudget
    """
    Limits that apply to the project: the lower ones of its own and those of the instance.
    """

    usageThisMonth: ProjectSettingsUsageThisMonth
    """
    What the jobs of the project have used in the current calendar month (UTC).
    """

    pausedAt: str | None
    """
    Time at which the project was paused. Null if it is not paused.
    """


class ProjectSetupRepository(TypedDict):
    """
    The repository of the project.
    """

    isConnected: bool
    """
    Whether the project is connected to a repository.
    """

    name: str | None
    """
    Owner and name of the repository. Null if no repository is connected.
    """


class ProjectSetupModel(TypedDict):
    """
    The default model of the project.
    """

    name: str | None
    """
    Name of the model that jobs use unless they name one. Null if there is no default model.
    """


class ProjectSetupRunner(TypedDict):
    """
    The runners of the project.
    """

    lastSeenAt: str | None
    """
    Time at which a runner of the project last polled for a turn. Null if no runner ever polled.
    """

    isOnline: bool
    """
    Whether at least one runner of the project is online.
    """


class ProjectSetupJob(TypedDict):
    """
    The most advanced of the newest jobs: one with a merged pull request, else one with any pull request, else the newest.
    """

    id: str | None
    """
    ID of the most advanced job. Null if there is no job.
    """

    status: Literal['active', 'completed', 'archived', 'failed'] | None
    """
    Status of the most advanced job. Null if there is no job.
    """


class ProjectSetupPullRequest(TypedDict):
    """
    The pull request of the most advanced job.
    """

    url: str | None
    """
    URL of the pull request. Null if the job has none.
    """

    state: Literal['open', 'merged', 'closed'] | None
    """
    State of the pull request. Null if the job has none.
    """


class ProjectSetupApiKey(TypedDict):
    """
    The API keys of the project.
    """

    isCreated: bool
    """
    Whether an API key was created.
    """


class ProjectSetupSiteKey(TypedDict):
    """
    The site key of the project, which the page view script needs.
    """

    key: str | None
    """
    A site key of the project. Null if there is none.
    """


class ProjectSetupViews(TypedDict):
    """
    The page views of the project.
    """

    hasHuman: bool
    """
    Whether page views by humans have been counted.
    """

    hasAi: bool
    """
    Whether page views by AI clients have been counted.
    """


class ProjectSetup(TypedDict):
    """
    Progress of setting up a project.
    """

    repository: ProjectSetupRepository
    """
    The repository of the project.
    """

    model: ProjectSetupModel
    """
    The default model of the project.
    """

    runner: ProjectSetupRunner
    """
    The runners of the project.
    """

    job: ProjectSetupJob
    """
    The most advanced of the newest jobs: one with a merged pull request, else one with any pull request, else the newest.
    """

    pullRequest: ProjectSetupPullRequest
    """
    The pull request of the most advanced job.
    """

    apiKey: ProjectSetupApiKey
    """
    The API keys of the project.
    """

    siteKey: ProjectSetupSiteKey
    """
    The site key of the project, which the page view script needs.
    """

    views: ProjectSetupViews
    """
    The page views of the project.
    """


class ProjectSpendTotal(TypedDict):
    """
    All model calls of the month. Calls in progress count with the maximum that they can use.
    """

    calls: int
    """
    Number of model calls that the provider did not reject.
    """

    tokens: int
    """
    Tokens that they used, input and output together.
    """

    costUsd: float
    """
    Their cost in US dollars, as far as prices are known.
    """

    unpricedTokens: int
    """
    Tokens of calls whose price is unknown. They are not included in the cost.
    """


class ProjectSpendForecast(TypedDict):
    """
    What the whole month will cost if its remaining days cost as much as the last seven days on average. Null for months other than the current one.
    """

    tokens: int
    """
    Tokens of the whole month.
    """

    costUsd: float
    """
    Cost of the whole month, in US dollars.
    """


class ProjectSpendLimits(TypedDict):
    """
    The budget of the month that applies now.
    """

    maxTokensPerMonth: int | None
    """
    Maximum tokens in a month. Null if there is no limit.
    """

    maxUsdPerMonth: float | None
    """
    Maximum cost in a month, in US dollars. Null if there is no limit.
    """


class ProjectSpendNotice(TypedDict):
    percent: Literal[50, 80, 100]
    """
    Share of the budget of the month, in percent.
    """

    reachedAt: str
    """
    Time at which it was noticed that this share is used.
    """


class ProjectSpendDay(TypedDict):
    day: str
    """
    The day (UTC).
    """

    calls: int
    """
    Number of model calls that the provider did not reject.
    """

    tokens: int
    """
    Tokens that they used, input and output together.
    """

    costUsd: float
    """
    Their cost in US dollars, as far as prices are known.
    """

    unpricedTokens: int
    """
    Tokens of calls whose price is unknown. They are not included in the cost.
    """


class ProjectSpendModel(TypedDict):
    model: str
    """
    Name of the model.
    """

    calls: int
    """
    Number of model calls that the provider did not reject.
    """

    tokens: int
    """
    Tokens that they used, input and output together.
    """

    costUsd: float
    """
    Their cost in US dollars, as far as prices are known.
    """

    unpricedTokens: int
    """
    Tokens of calls whose price is unknown. They are not included in the cost.
    """


class ProjectSpend(TypedDict):
    """
    What the model calls of a project used in a month.
    """

    month: str
    """
    The calendar month (UTC), as `YYYY-MM`.
    """

    total: ProjectSpendTotal
    """
    All model calls of the month. Calls in progress count with the maximum that they can use.
    """

    forecast: ProjectSpendForecast | None
    """
    What the whole month will cost if its remaining days cost as much as the last seven days on average. Null for months other than the current one.
    """

    limits: ProjectSpendLimits
    """
    The budget of the month that applies now.
    """

    alert: Literal[50, 80, 100] | None
    """
    The highest share of the budget that was reached, unless the budget was raised since. Null if less than half is used, and for months other than the current one.
    """

    notices: list[ProjectSpendNotice]
    """
    The shares of the budget that were reached in the month.
    """

    days: list[ProjectSpendDay]
    """
    By day, in ascending order. Days without calls are omitted.
    """

    models: list[ProjectSpendModel]
    """
    By model, the most expensive one first.
    """


class ReadinessComponents(TypedDict):
    """
    Whether the component works, and if not, why.
    """

    status: Literal['ok']
    """
    The component works.
    """

    latencyMs: int
    """
    Duration of the check in milliseconds.
    """


class ReadinessComponents1(TypedDict):
    """
    Whether the component works, and if not, why.
    """

    status: Literal['failing']
    """
    The component does not work.
    """

    reason: Literal['unreachable', 'timeout', 'read_only', 'disk_full', 'namespace_missing', 'migrations_pending', 'version_too_old', 'restore_unfinished']
    """
    Why the check failed. Details are in the server log.
    """


class Readiness(TypedDict):
    """
    Readiness of the process and of the components that it depends on.
    """

    status: Literal['ready', 'degraded', 'not_ready', 'stopping']
    """
    `ready`: everything works. `degraded`: a component fails, but requests are accepted. `not_ready`: requests should go to another replica. `stopping`: the process is shutting down.
    """

    components: dict[str, ReadinessComponents | ReadinessComponents1]
    """
    Status of each component that the process depends on, by name.
    """

    warnings: list[Literal['untrusted_proxy']]
    """
    What an operator should change, although everything works. `untrusted_proxy`: requests come from a reverse proxy that is not in `COLOPHON_TRUSTED_PROXIES`, so all clients behind it share one address and one rate limit.
    """

    version: str
    """
    Version of Colophon.
    """

    newerVersion: NotRequired[str | None]
    """
    The newest release, if it is newer than this version. Null if there is none, or if the operator does not have it looked up (`COLOPHON_RELEASES_URL`).
    """


class RepositoryIssue(TypedDict):
    """
    Problem that keeps jobs from working with the repository. Null if none is known.
    """

    code: Literal['archived', 'not_found', 'access_revoked']
    """
    `archived`: the repository is archived. `not_found`: it was deleted, or is no longer visible. `access_revoked`: the code host no longer accepts the credentials.
    """

    message: str
    """
    What is wrong with the repository, and what to do about it.
    """


class RepositorySite(TypedDict):
    """
    Site that was recognized on the base branch. It decides which navigation the agent can edit and what its pages may contain. Null until the repository has been read, usually within a minute.
    """

    generator: Literal['docusaurus', 'mkdocs', 'zensical', 'vitepress', 'starlight', 'hugo', 'sphinx', 'jupyter-book', 'nextra', 'fumadocs', 'mintlify', 'mdbook', 'jekyll', 'antora', 'unknown']
    """
    Site generator that builds the pages. `unknown` if none was recognized.
    """

    configFile: str | None
    """
    Configuration file of the site. Null if there is none.
    """

    pagesFolder: str
    """
    Folder of the pages of the site.
    """


class RepositoryTestFound(TypedDict):
    """
    What the test found in the repository. Null if the test failed.
    """

    defaultBranch: str
    """
    Default branch of the repository.
    """

    docsFolderExists: bool | None
    """
    Whether the docs folder exists on the base branch. Null if the code host did not say.
    """

    pages: int | None
    """
    Number of pages in the docs folder. Null if there are too many to count.
    """

    canManageWebhooks: bool
    """
    Whether Colophon can create a webhook. If it cannot, pull requests are polled.
    """


class RepositoryTest(TypedDict):
    """
    Result of testing a connection to a repository.
    """

    ok: bool
    """
    Whether Colophon can work with the repository.
    """

    message: str
    """
    Result of the test, and what to do if it failed.
    """

    found: RepositoryTestFound | None
    """
    What the test found in the repository. Null if the test failed.
    """


class RequiredSecondFactor(TypedDict):
    """
    Whether the project requires a second factor.
    """

    required: bool
    """
    Whether members who sign in with a password need a second factor to use the project. API keys do not.
    """

    membersWithout: int
    """
    How many members have joined and have no second factor.
    """


class Runner(TypedDict):
    """
    A process that runs the agents of a project in sandboxes.
    """

    id: str
    """
    ID of the runner.
    """

    name: str
    """
    Name of the runner.
    """

    isShared: bool
    """
    Whether the runner also works for other projects. A shared runner can be revoked only with `colophon-server admin runner revoke`.
    """

    isOnline: bool
    """
    Whether the runner is working on a turn, or polled for one within the last minute.
    """

    createdBy: str | None
    """
    Who created the runner: the email address of a person, the ID of an API key or of a federated identity, or `operator` for `colophon-server admin`. The ID of the person if their account was deleted. Null if it is not known.
    """

    takenOverBy: str | None
    """
    Who kept the runner when its creator lost access, and has taken it over. Null if nobody has. It is revoked when that person loses access.
    """

    createdAt: str
    """
    Time at which the runner was created.
    """

    expiresAt: str | None
    """
    Time at which the token expires. Null if it never expires.
    """

    previousTokenExpiresAt: str | None
    """
    Time until which the token before the last rotation is valid. Null if it is not valid.
    """

    lastSeenAt: str | None
    """
    Time at which the runner last polled for a turn. Null if it never has.
    """


class SiteKey(TypedDict):
    """
    A public key that identifies your site to the script.
    """

    key: str
    """
    The key in the script tag. It is public: it can submit human page views and read nothing.
    """

    createdAt: str
    """
    Time at which the site key was created.
    """


class ViewSourcesSource(TypedDict):
    source: Literal['script', 'servers', 'logs']
    """
    The source: the `script` in the browser, `servers`, or `logs` imported with `colophon-server import-logs`.
    """

    lastEventAt: str
    """
    Time at which the last event arrived, whether it was counted or not.
    """

    countedLast24Hours: int
    """
    Number of page views counted in the last 24 hours.
    """

    droppedLast24Hours: int
    """
    Number of requests dropped in the last 24 hours.
    """


class ViewSourcesDroppedItem(TypedDict):
    source: Literal['script', 'servers', 'logs']
    """
    Source that reported the requests.
    """

    reason: Literal['not_get', 'not_successful', 'prefetch', 'invalid_path', 'path_too_long', 'not_a_page', 'counted_elsewhere', 'too_old', 'opted_out', 'origin_not_allowed', 'rate_limited', 'daily_limit']
    """
    Why the requests were dropped. `opted_out`: the browser sends Do Not Track or Global Privacy Control. `origin_not_allowed`: the script is on a page whose origin is not in `allowedOrigins`. `rate_limited` and `daily_limit`: the script sent more than the instance accepts.
    """

    last24Hours: int
    """
    Number of requests dropped for this reason in the last 24 hours.
    """

    last7Days: int
    """
    Number of requests dropped for this reason in the last 7 days.
    """


class ViewSourcesMeasuredSince(TypedDict):
    """
    Since when human and AI traffic has been measured. Not every source can measure both.
    """

    human: str | None
    """
    First day, in UTC, on which a source reported human traffic. Null if none did.
    """

    ai: str | None
    """
    First day, in UTC, on which a source reported AI traffic. Null if none did.
    """


class ViewSources(TypedDict):
    """
    Recent activity of the sources of page views.
    """

    sources: list[ViewSourcesSource]
    """
    Sources, the one with the most recent event first.
    """

    dropped: list[ViewSourcesDroppedItem]
    """
    Dropped requests by source and reason, by `last7Days` in descending order.
    """

    measuredSince: ViewSourcesMeasuredSince
    """
    Since when human and AI traffic has been measured. Not every source can measure both.
    """


class ViewsCoverage(TypedDict):
    """
    Whether any source could have seen human and AI traffic in the range.
    """

    human: Literal['measured', 'not_measured']
    """
    `not_measured` if no source that counts humans reported views in this range. A count of 0 is then meaningless.
    """

    ai: Literal['measured', 'not_measured']
    """
    `not_measured` if no server reported views in this range, because the browser script cannot see AI clients. A count of 0 is then meaningless.
    """


class ViewsResultTotals(TypedDict):
    """
    Sums over all matching pages in the range, not only over those in this response.
    """

    human: int
    """
    Number of page views by humans.
    """

    ai: int
    """
    Number of page views by AI clients.
    """

    total: int
    """
    Sum of `human` and `ai`. Search engines and other bots are not included.
    """


class ViewsResultView(TypedDict):
    path: str
    """
    Path of the page.
    """

    human: int
    """
    Number of page views by humans.
    """

    ai: int
    """
    Number of page views by AI clients.
    """

    total: int
    """
    Sum of `human` and `ai`. Search engines and other bots are not included.
    """


class ViewsResult(TypedDict):
    """
    Page views by page, with their totals and coverage.
    """

    totals: ViewsResultTotals
    """
    Sums over all matching pages in the range, not only over those in this response.
    """

    views: list[ViewsResultView]
    """
    Views by page: by `total` in descending order, then by `path`.
    """

    hasMore: bool
    """
    Whether there are more pages. The next response starts at `offset` + `limit`.
    """

    coverage: ViewsCoverage


class ViewsTimeseriesPoint(TypedDict):
    at: str
    """
    Start of the interval. The first interval can start before `dateFrom`.
    """

    human: int
    """
    Number of page views by humans.
    """

    ai: int
    """
    Number of page views by AI clients.
    """

    total: int
    """
    Sum of `human` and `ai`. Search engines and other bots are not included.
    """


class ViewsTimeseries(TypedDict):
    """
    Page views over time, with their coverage.
    """

    interval: Literal['quarter_hour', 'hour', 'day', 'week', 'month']
    """
    Length of an interval.
    """

    timeZone: str
    """
    Time zone of the intervals.
    """

    points: list[ViewsTimeseriesPoint]
    """
    Counts by interval, oldest first.
    """

    coverage: ViewsCoverage


class WebhookDelivery(TypedDict):
    """
    An event that is sent to an endpoint.
    """

    id: str
    """
    ID of the delivery.
    """

    eventId: str
    """
    ID of the event, sent as `webhook-id`. A resend has the same.
    """

    eventType: str
    """
    Type of the event.
    """

    eventAt: str
    """
    Time of the event.
    """

    status: Literal['pending', 'delivered', 'failed']
    """
    `pending` until the endpoint has accepted the event, for at most three days. Then `delivered`, or `failed` if it was given up.
    """

    isResend: bool
    """
    Whether someone requested that the event is sent again.
    """

    attempts: int
    """
    Number of requests that were sent.
    """

    createdAt: str
    """
    Time at which the delivery was queued.
    """

    nextAttemptAt: str | None
    """
    Time of the next attempt, or later if the endpoint backs off or an earlier event of the same job waits. Null if the delivery has ended.
    """

    endedAt: str | None
    """
    Time at which the delivery ended. Null while it is pending.
    """


class WebhookEndpoint(TypedDict):
    """
    A receiver of events of a project: a webhook, a chat or an email address.
    """

    id: str
    """
    ID of the endpoint.
    """

    kind: Literal['webhook', 'slack', 'teams', 'email']
    """
    `webhook`: signed requests as in Standard Webhooks. `slack`: messages through an incoming webhook of Slack. `teams`: messages through a webhook of a workflow in Microsoft Teams. `email`: plain text to a member of the project.
    """

    name: str
    """
    Name of the endpoint.
    """

    target: str
    """
    URL of a webhook, or the email address. Of a chat only the host, because its URL is a secret.
    """

    events: list[Literal['job.completed', 'job.failed', 'job.archived', 'job.awaiting_approval', 'job.pull_request.opened', 'job.pull_request.merged', 'job.pull_request.closed', 'budget.threshold', 'runner.offline']]
    """
    Types of the events that are sent to the endpoint.
    """

    maxPerSecond: int
    """
    Maximum number of requests per second.
    """

    isEnabled: bool
    """
    Whether events are sent to the endpoint.
    """

    disabledReason: Literal['by_person', 'gone', 'failing', 'creator_left', 'recipient_left'] | None
    """
    Why the endpoint is disabled. `by_person`: on request. `gone`: it responded with 410. `failing`: nothing could be delivered for days. `creator_left`: who created or enabled it has lost access. `recipient_left`: the email address is no longer one of a member. Null if it is enabled.
    """

    disabledAt: str | None
    """
    Time at which the endpoint was disabled. Null if it is enabled.
    """

    failingSince: str | None
    """
    Time of the first failed attempt since the last successful one. Null if the last one was successful.
    """

    previousSecretExpiresAt: str | None
    """
    Time until which requests are also signed with the previous secret. Null if they are not.
    """

    responsible: str
    """
    Who created the endpoint, or enabled it last: the email address of a person, the ID of an API key, or `operator` for `colophon-server admin`. The ID of the person if their account was deleted. The endpoint is disabled when they lose access.
    """

    createdAt: str
    """
    Time at which the endpoint was created.
    """


class GithubRepository(TypedDict):
    """
    A repository on GitHub that can be connected to a project.
    """

    id: int
    """
    ID of the repository on GitHub. It stays the same when the repository is renamed.
    """

    owner: str
    """
    User or organization that owns the repository.
    """

    name: str
    """
    Name of the repository.
    """

    defaultBranch: str
    """
    Default branch of the repository.
    """

    isPrivate: bool
    """
    Whether the repository is private.
    """


class LogDrainDay(TypedDict):
    """
    What arrived at a log drain on a day.
    """

    day: str
    """
    Day on which the logs arrived.
    """

    counted: int
    """
    Page views that were counted.
    """

    repeated: int
    """
    Page views that were delivered again, and counted once.
    """

    dropped: int
    """
    Requests that are not page views, or not counted for another reason.
    """

    ignored: int
    """
    Lines that are not requests of visitors, and requests for other hosts.
    """

    unreadable: int
    """
    Lines that are not in the format of the log drain, or have no host although the log drain has one.
    """


PublishingRulesFurtherDocsFolder: TypeAlias = str


PublishingRulesAllowedPath: TypeAlias = str


class PublishingRules(TypedDict):
    """
    What agents may change, and what a person has to approve before it is pushed.
    """

    siteGenerator: Literal['docusaurus', 'mkdocs', 'zensical', 'vitepress', 'starlight', 'hugo', 'sphinx', 'jupyter-book', 'nextra', 'fumadocs', 'mintlify', 'mdbook', 'jekyll', 'antora', 'unknown'] | None
    """
    Site generator that a person chose. Null: it is recognized from the repository.
    """

    furtherDocsFolders: list[PublishingRulesFurtherDocsFolder]
    """
    Folders with docs pages in addition to `docsFolder`. The same rules apply to them.
    """

    allowedPaths: list[PublishingRulesAllowedPath]
    """
    Further files that agents may change, whatever their type. A path that ends with `/` is a folder with everything in it, except for hidden files, which have to be named. CI configuration, CODEOWNERS, Git configuration and instructions for agents can never be changed.
    """

    activeContent: Literal['refuse', 'hold']
    """
    What happens to a result with new content that a build or a browser would execute. `refuse`: the job fails. `hold`: nothing is pushed until a person approves it.
    """

    requireApproval: bool
    """
    Whether a person has to approve every result before it is pushed.
    """

    fixFailedChecks: bool
    """
    Whether a failed CI check of a pull request is sent to the agent automatically, at most twice per pull request. It counts toward the budget like a message that a person sends.
    """


PullRequestSettingsLabel: TypeAlias = str


PullRequestSettingsReviewer: TypeAlias = str


class PullRequestSettings(TypedDict):
    """
    How pull requests of a project are opened.
    """

    branchTemplate: str
    """
    Template of branch names. It must contain `{jobId}`.
    """

    titleTemplate: str
    """
    Template of pull request titles. It must contain `{title}` and may contain `{jobId}`.
    """

    bodyTemplate: str
    """
    Template of pull request descriptions, in Markdown. It must contain `{summary}` on a line of its own and may contain `{jobId}`.
    """

    labels: list[PullRequestSettingsLabel]
    """
    Names of labels for pull requests. Labels that do not exist on the code host are ignored.
    """

    reviewers: list[PullRequestSettingsReviewer]
    """
    User names on the code host of people who are asked to review pull requests.
    """

    draft: bool
    """
    Whether pull requests are opened as drafts.
    """

    signOff: bool
    """
    Whether commit messages have a `Signed-off-by` line.
    """


class ListJobsResponse(TypedDict):
    jobs: list[AgentJob]
    """
    Jobs, newest first.
    """

    nextCursor: str | None
    """
    `cursor` for the next page. Null on the last page.
    """


class ListMessagesResponse(TypedDict):
    messages: list[JobMessage]
    """
    Messages, in the order in which they were sent.
    """

    nextBefore: int | None
    """
    `before` for the messages before these. Null if these include the first one.
    """


class ListEventsResponse(TypedDict):
    events: list[JobEvent]
    """
    Events, oldest first.
    """

    nextAfter: str | None
    """
    `after` for the next page. Null if there are no more events yet.
    """


class ListModelsResponse(TypedDict):
    models: list[AgentModel]
    """
    Models that jobs of the project may use, by name.
    """


class ListClientsResponse(TypedDict):
    clients: list[ListClientsResponseClient]
    """
    Clients, by number of views in descending order.
    """

    coverage: ViewsCoverage


class ListSiteKeysResponse(TypedDict):
    siteKeys: list[SiteKey]
    """
    Site keys, oldest first.
    """


class ListKeysResponse(TypedDict):
    keys: list[ApiKey]
    """
    API keys, newest first.
    """

    nextCursor: str | None
    """
    `cursor` for the next page. Null on the last page.
    """


class CreateKeyResponse(TypedDict):
    key: ApiKey
    secret: str
    """
    The secret of the key, to be sent as `Authorization: Bearer`. It is not shown again.
    """


class ListFederatedIdentitiesResponse(TypedDict):
    audience: str
    """
    Audience that the tokens must have: the public URL of the instance.
    """

    identities: list[FederatedIdentity]
    """
    Federated identities, newest first.
    """


class DeleteFederatedIdentityResponse(TypedDict):
    audience: str
    """
    Audience that the tokens must have: the public URL of the instance.
    """

    identities: list[FederatedIdentity]
    """
    Federated identities, newest first.
    """


class ListRunnersResponse(TypedDict):
    runners: list[Runner]
    """
    Runners that can run turns of this project, newest first.
    """


class CreateRunnerResponse(TypedDict):
    runner: Runner
    token: str
    """
    Token to start the runner with. Only this response contains it, so store it now.
    """

    gatewayUrl: str | None
    """
    URL of the gateway to start the runner with. A URL with `localhost` works only on the machine of the server. Null if the URL is not known.
    """


class RotateRunnerTokenResponse(TypedDict):
    runner: Runner
    token: str
    """
    Token to start the runner with. Only this response contains it, so store it now.
    """


class RevokeRunnerResponse(TypedDict):
    runners: list[Runner]
    """
    Runners that can run turns of this project, newest first.
    """


class ListWebhookEndpointsResponse(TypedDict):
    endpoints: list[WebhookEndpoint]
    """
    Endpoints of the project, newest first.
    """


class CreateWebhookEndpointResponse(TypedDict):
    endpoint: WebhookEndpoint
    secret: str | None
    """
    Secret that requests are signed with, as in Standard Webhooks. Only this response contains it, so store it now. Null unless the endpoint is a webhook.
    """


class DeleteWebhookEndpointResponse(TypedDict):
    endpoints: list[WebhookEndpoint]
    """
    Endpoints of the project, newest first.
    """


class RotateWebhookSecretResponse(TypedDict):
    endpoint: WebhookEndpoint
    secret: str
    """
    Secret that requests are signed with, as in Standard Webhooks. Only this response contains it, so store it now.
    """


class ListWebhookDeliveriesResponse(TypedDict):
    deliveries: list[WebhookDelivery]
    """
    Deliveries to the endpoint, newest first.
    """

    nextCursor: str | None
    """
    `cursor` for the next page. Null on the last page.
    """


class GetWebhookDeliveryResponse(TypedDict):
    delivery: WebhookDelivery
    payload: str
    """
    The event as JSON: the body of the requests to a webhook. Messages to chats are composed from it.
    """

    attempts: list[GetWebhookDeliveryResponseAttempt]
    """
    Requests that were sent, in order.
    """


class ListMembersResponse(TypedDict):
    members: list[Member]
    """
    Members of the project, newest first.
    """

    nextCursor: str | None
    """
    `cursor` for the next page. Null on the last page.
    """


class ListCreatedAccessResponse(TypedDict):
    created: list[CreatedAccess]
    """
    What is revoked, oldest first.
    """


class ListInvitationsResponse(TypedDict):
    invitations: list[Invitation]
    """
    Open invitations of the project, newest first.
    """


class CreateInvitationResponse(TypedDict):
    invitation: Invitation
    url: str | None
    """
    Link to give to the invited person. Only this response contains it. Null if it was sent by email.
    """

    emailed: bool
    """
    Whether the link was sent to the invited person by email.
    """


class ListAuditEntriesResponse(TypedDict):
    entries: list[AuditEntry]
    """
    Entries of the audit log, newest first.
    """

    nextCursor: str | None
    """
    `cursor` for the next page. Null on the last page.
    """


class GithubRepositoryList(TypedDict):
    """
    Repositories on GitHub that you can connect to the project.
    """

    authorizationId: str
    """
    ID of the authorization. Send it to connect one of the repositories, within 15 minutes.
    """

    repositories: list[GithubRepository]
    """
    Repositories that the App has access to and that you may write to.
    """


class LogDrain(TypedDict):
    """
    Where a host or CDN sends the access logs of a site.
    """

    id: str
    """
    ID of the log drain.
    """

    name: str
    """
    Name for people.
    """

    format: Literal['json', 'nginx', 'apache', 'caddy', 'traefik', 'cloudfront', 'cloudflare', 'fastly', 'google-cloud', 'azure', 'akamai', 'vercel', 'netlify']
    """
    Format of the logs.
    """

    host: str | None
    """
    Host name of the site. Requests for other hosts are ignored, and lines without a host cannot be read. Null: requests for any host are counted.
    """

    url: str
    """
    URL that the logs are sent to.
    """

    verification: str | None
    """
    What proves to the host that the URL belongs to you. Vercel: the value of `x-vercel-verify` that it shows when you add the URL. Fastly: the ID of the service. Null for other hosts.
    """

    createdBy: str | None
    """
    Who created the log drain: the email address of a person, the ID of an API key or of a federated identity, or `operator` for `colophon-server admin`. The ID of the person if their account was deleted. Null if it is not known.
    """

    createdAt: str
    """
    Time at which the log drain was created.
    """

    firstEventAt: str | None
    """
    Time at which logs that could be read arrived for the first time. Null: none have arrived yet.
    """

    lastEventAt: str | None
    """
    Time at which logs that could be read arrived last, to a few seconds. Null: none have arrived yet.
    """

    days: list[LogDrainDay]
    """
    The last 30 days (UTC) on which logs arrived, newest first. The days that are missing were not measured.
    """


class ProjectHealth(TypedDict):
    """
    State of everything that a project depends on.
    """

    status: Literal['ready', 'degraded', 'not_ready', 'stopping']
    """
    `ready`: everything works. `degraded`: a component fails, but requests are accepted. `not_ready`: requests should go to another replica. `stopping`: the process is shutting down.
    """

    components: dict[str, ProjectHealthComponents | ProjectHealthComponents1]
    """
    Status of each component of the `api` process, by its name, for example `postgres`.
    """

    runners: list[Runner]
    """
    Runners that can run turns of this project, newest first.
    """

    viewBuffer: ProjectHealthViewBuffer
    """
    Page views of all projects that are stored in PostgreSQL and not yet loaded into ClickHouse.
    """

    versions: ProjectHealthVersions
    """
    Versions of Colophon and of its database schema.
    """


class Repository(TypedDict):
    """
    The repository that a project is connected to.
    """

    host: Literal['gitea', 'github']
    """
    Software of the code host. `gitea` includes Forgejo.
    """

    url: str
    """
    URL of the code host.
    """

    owner: str
    """
    User or organization that owns the repository.
    """

    name: str
    """
    Current name of the repository. A repository that is renamed stays connected.
    """

    access: Literal['token', 'app']
    """
    How Colophon accesses the repository: with an access token, or as a GitHub App.
    """

    issue: RepositoryIssue | None
    """
    Problem that keeps jobs from working with the repository. Null if none is known.
    """

    baseBranch: str
    """
    Branch that pull requests are opened against.
    """

    docsFolder: str
    """
    Folder of the docs pages in the repository. Empty: the whole repository.
    """

    rules: PublishingRules
    site: RepositorySite | None
    """
    Site that was recognized on the base branch. It decides which navigation the agent can edit and what its pages may contain. Null until the repository has been read, usually within a minute.
    """

    publishing: PullRequestSettings


class ListLogDrainsResponse(TypedDict):
    logDrains: list[LogDrain]
    """
    Log drains of the project, oldest first.
    """


class DeleteLogDrainResponse(TypedDict):
    logDrains: list[LogDrain]
    """
    Log drains of the project, oldest first.
    """


class GetRepositoryResponse(TypedDict):
    repository: Repository | None
    """
    Repository of the project. Null if no repository is connected yet.
    """


class CreatedLogDrain(TypedDict):
    """
    A new log drain, with its secret.
    """

    logDrain: LogDrain
    secret: str
    """
    Secret that authenticates the sender: as `Authorization: Bearer …`, as the password of `Authorization: Basic …`, as `token` in the query of the URL, or as the secret that Vercel signs with. Only this response contains it.
    """
