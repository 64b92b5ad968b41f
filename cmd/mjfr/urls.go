package main

// aboutURLs is the help about recordings on servers and in buckets.
const aboutURLs = `Where a verb takes FILE it also takes:

  https://HOST/PATH          also with a signed query, and http://
  s3://BUCKET/KEY            and servers that speak as S3 does
  gs://BUCKET/KEY            Google Cloud Storage
  azblob://CONTAINER/BLOB    Azure Blob Storage

In keys, * ? and [ make a pattern, as in 's3://bucket/day/*.jfr', in which * does not stand
for a /. A name that ends in / stands for the recordings directly below it,
and in mjfr batch for those in folders below it, too.

Of a recording that is not packed, headers of chunks are fetched first, and then the chunks
that are asked for: all of them for mjfr summary, those of a time for mjfr print --from --to,
and none for mjfr chunks --headers. With --to, chunks that began later are not fetched: long
events that began before and ended in them are left out, and a message says so. Verbs that
read everything fetch chunks of less than 4 MiB from beginning to end, for a request takes as
long as many bytes, and all verbs do so with chunks of less than 256 KiB. Packed
recordings are read from beginning to end, as are those of servers that give no ranges.

What is fetched goes to a temporary file, which is removed at the end; download a recording
that you read several times. All recordings that are open take up to --cache-limit, 4 GiB if it
is not given, unpacked ones and those of servers without ranges included; then --cache-limit
with more, or a download, helps. A tenth of the disk stays free.

Requests that fail are repeated, some times. If the object changes while it is read, that
is an error. mjfr sends requests only to the servers that are named, to those that they
redirect to, and for s3 and gs to where credentials come from:

  s3      AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN; the file of
          AWS_SHARED_CREDENTIALS_FILE or ~/.aws/credentials, with AWS_PROFILE; a role of the
          container or machine, unless AWS_EC2_METADATA_DISABLED=true. AWS_REGION;
          AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL for other servers
  gs      application default credentials: GOOGLE_APPLICATION_CREDENTIALS, those of gcloud, or
          of the machine. STORAGE_EMULATOR_HOST for other servers
  azblob  AZURE_STORAGE_ACCOUNT with AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or
          AZURE_STORAGE_CONNECTION_STRING

Without credentials requests are anonymous, as for public buckets. Messages show no query of a
URL, since it may be a signature.
`
