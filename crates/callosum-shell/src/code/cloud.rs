//! Calls of boto3 and of the AWS SDKs for JavaScript, as commands of the AWS CLI: services, operations and parameters have the same names
//! in another case.

use super::value::{Call, Given, Value, as_json, as_text, texts};
use super::words;

/// Clients of JavaScript whose service is called otherwise by the CLI.
const SERVICES: &[(&str, &str)] = &[
    ("cloudwatchlogs", "logs"),
    ("dynamodbdocument", "dynamodb"),
    ("documentclient", "dynamodb"),
    ("eventbridge", "events"),
    ("sfn", "stepfunctions"),
    ("elasticloadbalancingv2", "elbv2"),
    ("cognitoidentityprovider", "cognito-idp"),
    ("route53", "route53"),
];

/// The commands of a call.
pub(super) fn command(call: &Call) -> Option<Vec<Vec<String>>> {
    let given = call.given()?;
    let (service, operation, given) = python(call, given).or_else(|| script(call, given))?;
    let mut command = match storage(&service, &operation, given, call) {
        Some(command) => command,
        None => {
            let mut command = words(&["aws", &service, &operation]);
            for (name, value) in given.fields() {
                let texts = match &value {
                    Value::List(_) => texts(&value),
                    Value::Map(_) => vec![as_json(&value).to_string()],
                    value => as_text(value).into_iter().collect(),
                };
                if !texts.is_empty() {
                    command.push(format!("--{}", dashed(&name)));
                    command.extend(texts);
                }
            }
            command.extend(of_resource(call));
            command
        }
    };
    let said = |names: &[&str]| {
        call.steps.iter().find_map(|step| step.given.as_ref()?.value(names).and_then(as_text))
    };
    for (option, names) in
        [("--region", &["region_name", "region"][..]), ("--profile", &["profile_name", "profile"])]
    {
        if let Some(value) = said(names) {
            command.extend(words(&[option, &value]));
        }
    }
    Some(vec![command])
}

/// `boto3.client("lambda").invoke(…)`, `boto3.resource("s3").Bucket("a").upload_file(…)`
fn python<'c>(call: &'c Call, given: &'c Given) -> Option<(String, String, &'c Given)> {
    let made = ["client", "resource"].iter().find_map(|name| call.given_to(name))?;
    if !call.before().any(|name| matches!(name, "boto3" | "session" | "Session" | "aioboto3")) {
        return None;
    }
    let is_made_by_it = matches!(
        call.name(),
        "client"
            | "resource"
            | "Bucket"
            | "Object"
            | "Table"
            | "Queue"
            | "Topic"
            | "Instance"
            | "get_queue_by_name"
    );
    let service = given_service(made)?;
    let operation = match (dashed(call.name()).as_str(), call.has("Instance")) {
        // The methods of a resource leave out what it is.
        (verb @ ("terminate" | "stop" | "start" | "reboot"), true) => format!("{verb}-instances"),
        (verb, _) => verb.to_owned(),
    };
    (!is_made_by_it).then_some((service, operation, given))
}

/// What a resource of boto3's is called, as an option of the CLI: `resource("dynamodb").Table("orders")`.
fn of_resource(call: &Call) -> Vec<String> {
    const RESOURCES: &[(&str, &str)] = &[
        ("Table", "--table-name"),
        ("Instance", "--instance-ids"),
        ("Queue", "--queue-url"),
        ("get_queue_by_name", "--queue-name"),
        ("Topic", "--topic-arn"),
        ("Stack", "--stack-name"),
        ("Alarm", "--alarm-names"),
        ("Role", "--role-name"),
        ("User", "--user-name"),
        ("SecurityGroup", "--group-id"),
        ("Volume", "--volume-id"),
    ];
    let of = |(step, option): &(&str, &str)| {
        let name = call.given_to(step)?.text(&["name", "QueueName", "Name", "id"], Some(0))?;
        Some(words(&[option, &name]))
    };
    RESOURCES.iter().find_map(of).unwrap_or_default()
}

/// A client of the AWS SDK for JavaScript by the name of its service: `new S3({}).deleteObject({…})`.
#[rustfmt::skip]
const AGGREGATED: &[&str] = &[
    "S3", "SQS", "SNS", "SES", "SESv2", "Lambda", "DynamoDB", "DynamoDBDocument", "EC2", "ECS", "EKS", "RDS", "IAM", "SSM", "Route53",
    "SecretsManager", "CloudFormation", "CloudFront", "EventBridge", "SFN", "ECR",
];

fn given_service(made: &Given) -> Option<String> {
    made.text(&["service_name"], Some(0))
}

/// `new ECSClient({}).send(new UpdateServiceCommand({…}))`, `new AWS.S3().putObject({…})`
fn script<'c>(call: &'c Call, given: &'c Given) -> Option<(String, String, &'c Given)> {
    if call.name() == "send" {
        let [Value::Chain(steps)] = given.placed.as_slice() else { return None };
        let made = steps.last()?;
        let operation = made.name.strip_suffix("Command")?;
        let client = call.steps.iter().find_map(|step| step.name.strip_suffix("Client"))?;
        // The client of documents leaves out what it acts on.
        let operation = match operation {
            "Put" | "Update" | "Delete" | "Get" if client == "DynamoDBDocument" => format!("{operation}Item"),
            _ => operation.to_owned(),
        };
        return Some((service(client), dashed(&operation), made.given.as_ref()?));
    }
    if let [made, called] = call.steps.as_slice()
        && made.given.is_some()
        && AGGREGATED.contains(&made.name.as_str())
    {
        return Some((service(&made.name), dashed(&called.name), given));
    }
    // Ruby's: `Aws::S3::Client.new.put_object(bucket: "b", key: "k")`
    if let [root, client, .., _] = call.steps.as_slice()
        && root.name == "Aws"
        && call.has("new")
        && call.name() != "new"
    {
        return Some((service(&client.name), dashed(call.name()), given));
    }
    let names: Vec<&str> = call.steps.iter().map(|step| step.name.as_str()).collect();
    let at = names.iter().position(|name| matches!(*name, "AWS" | "aws-sdk"))?;
    let client = names.get(at + 1)?;
    // What waits for a call is none itself.
    let acts = !matches!(call.name(), "promise" | "then" | "catch");
    (names.len() > at + 2 && *client != "config" && acts)
        .then(|| (service(client), dashed(call.name()), given))
}

fn service(client: &str) -> String {
    let name = client.to_lowercase();
    let known = SERVICES.iter().find(|(own, _)| *own == name);
    known.map_or(name, |(_, service)| (*service).to_owned())
}

/// What is done to objects of S3, as the CLI's own words for that.
fn storage(service: &str, operation: &str, given: &Given, call: &Call) -> Option<Vec<String>> {
    if service != "s3" {
        return None;
    }
    let of = |name: &str, place: usize| call.given_to(name).and_then(|made| made.text(&[], Some(place)));
    let (bucket_place, key_place) = match operation {
        "upload-file" | "upload-fileobj" => (1, 2),
        _ => (0, 1),
    };
    let is_resource = call.has("Bucket") || call.has("Object");
    let (bucket, key) = if is_resource {
        // `Bucket("b").Object("k")`, `Object("b", "k")`
        let (bucket, key) = match of("Bucket", 0) {
            Some(bucket) => (bucket, of("Object", 0)),
            None => (of("Object", 0)?, of("Object", 1)),
        };
        let place = if operation.starts_with("upload") { 1 } else { 0 };
        let named = || given.text(&["Key"], Some(place));
        (bucket, key.or_else(|| if call.has("Object") { None } else { named() }))
    } else {
        (given.text(&["Bucket", "bucket"], Some(bucket_place))?, given.text(&["Key", "key"], Some(key_place)))
    };
    let target = match key {
        Some(key) => format!("s3://{bucket}/{key}"),
        None => format!("s3://{bucket}"),
    };
    Some(match operation {
        "upload-file" | "upload-fileobj" | "put-object" | "put" | "copy-object" | "copy" => {
            words(&["aws", "s3", "cp", "-", &target])
        }
        "delete-object" | "delete-objects" | "delete" => words(&["aws", "s3", "rm", &target]),
        "delete-bucket" => words(&["aws", "s3", "rb", &target]),
        "create-bucket" => words(&["aws", "s3", "mb", &target]),
        _ => return None,
    })
}

/// `FunctionName`, `functionName` and `function_name` as `function-name`.
fn dashed(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut dashed = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let is_next_small = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && is_next_small
            });
        if begins {
            dashed.push('-');
        }
        dashed.push(if *letter == '_' { '-' } else { letter.to_ascii_lowercase() });
    }
    dashed
}
