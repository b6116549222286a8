//! Codes, and the commands that do the same.

use super::{Language, commands};

fn told(language: Language, code: &str) -> Vec<String> {
    commands(language, code, None).into_iter().map(|words| words.join(" ")).collect()
}

#[test]
fn python_says_what_it_does() {
    let mut wrong = Vec::new();
    for (code, commands) in [
        (
            "import requests as r\nr.post('https://a.example/x', json={'k': 1})",
            &[r#"curl -X POST https://a.example/x -d {"k":"1"}"#][..],
        ),
        (
            "BASE = 'https://a.example'\nfor i in x:\n    requests.delete(f'{BASE}/items/{i}', timeout=5).raise_for_status()",
            &["curl -X DELETE https://a.example/items/$i"],
        ),
        (
            "req = urllib.request.Request('https://a.example/x', data=json.dumps({'k': 'v'}).encode(), method='PUT')",
            &[r#"curl -X PUT https://a.example/x -d {"k":"v"}"#],
        ),
        (
            "with httpx.Client(base_url='https://a.example') as c:\n    c.patch('/x', params={'q': 'y'})",
            &["curl -X PATCH https://a.example/x?q=y"],
        ),
        ("requests.post(os.environ['HOOK'], data='x')", &["curl -X POST $HOOK -d x"]),
        ("router.post('/x')\ndata = {'post': 1}", &[]),
        ("# requests.post('https://a.example')\nprint('requests.post')", &[]),
        (
            "boto3.Session(profile_name='prod').client('ecs', region_name='eu').update_service(cluster='a', service='b')",
            &["aws ecs update-service --cluster a --service b --region eu --profile prod"],
        ),
        ("s3 = boto3.client('s3')\ns3.upload_file('f', 'b', 'k')", &["aws s3 cp - s3://b/k"]),
        ("boto3.resource('s3').Object('b', 'k').delete()", &["aws s3 rm s3://b/k"]),
        (
            "boto3.client('ec2').terminate_instances(InstanceIds=['i-1', 'i-2'])",
            &["aws ec2 terminate-instances --instance-ids i-1 i-2"],
        ),
        (
            "m = EmailMessage()\nm['From'], m['To'] = 'a@x.example', 'b@x.example'\nwith smtplib.SMTP('h') as s:\n    s.send_message(m)",
            &["sendmail b@x.example"],
        ),
        (
            "s = smtplib.SMTP('h')\ns.sendmail('a@x.example', ['b@x.example', 'c@x.example'], 'x')",
            &["sendmail b@x.example c@x.example"],
        ),
        (
            "WebClient(token).chat_postMessage(channel='#ops', text=t)",
            &[r##"curl -X POST https://slack.com/api/chat.postMessage -d {"channel":"#ops","text":null}"##],
        ),
        (
            "stripe.Refund.create(charge='ch_1')",
            &[r#"curl -X POST https://api.stripe.com/v1/refunds -d {"charge":"ch_1"}"#],
        ),
        (
            "stripe.PaymentIntent.cancel('pi_1')",
            &["curl -X POST https://api.stripe.com/v1/payment_intents/pi_1/cancel -d {}"],
        ),
        ("stripe.Charge.retrieve('ch_1')", &[]),
        (
            "g = Github(t)\nrepo = g.get_repo('a/b')\nrepo.get_issue(7).create_comment('x')",
            &["curl -X POST https://api.github.com/repos/a/b/issues/7 -d {}"],
        ),
        ("Github(t).get_repo('a/b').get_issues()", &[]),
        (
            "c = psycopg2.connect('postgres://h/d')\ncur = c.cursor()\ncur.execute('DELETE FROM x')",
            &["psql postgres://h/d -c DELETE FROM x"],
        ),
        ("sqlite3.connect('x').execute('DELETE FROM x')", &[]),
        ("Connection('u@h').run('uptime')", &["ssh u@h uptime"]),
        ("client.CoreV1Api().delete_namespaced_pod('web-0', 'shop')", &["kubectl -n shop delete pod web-0"]),
    ] {
        if told(Language::Hash, code) != commands {
            wrong.push(format!("{code}: {:?}", told(Language::Hash, code)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn javascript_says_what_it_does() {
    let mut wrong = Vec::new();
    for (code, commands) in [
        (
            "await fetch(`https://a.example/${id}`, {method: 'POST', headers: {a: 'b'}, body: JSON.stringify({k: 'v'})})",
            &[r#"curl -X POST https://a.example/$id -d {"k":"v"}"#][..],
        ),
        ("fetch('https://a.example')", &["curl -X GET https://a.example"]),
        (
            "const axios = require('axios');\naxios.post('https://a.example/x', {k: 'v'}).then(r => console.log(r.data))",
            &[r#"curl -X POST https://a.example/x -d {"k":"v"}"#],
        ),
        ("axios({method: 'delete', url: 'https://a.example/x'})", &["curl -X DELETE https://a.example/x"]),
        (
            "const api = axios.create({baseURL: 'https://a.example'}); api.put('/x', {})",
            &["curl -X PUT https://a.example/x -d {}"],
        ),
        (
            "(async () => { const c = new Client('postgres://h/d'); await c.connect(); await c.query('DELETE FROM x') })()",
            &["psql postgres://h/d -c DELETE FROM x"],
        ),
        (
            "new ECSClient({region: 'eu'}).send(new UpdateServiceCommand({cluster: 'a', service: 'b'}))",
            &["aws ecs update-service --cluster a --service b --region eu"],
        ),
        (
            "const AWS = require('aws-sdk'); new AWS.Lambda({region: 'eu'}).invoke({FunctionName: 'f'}).promise()",
            &["aws lambda invoke --function-name f --region eu"],
        ),
        (
            "const stripe = require('stripe')(process.env.KEY); stripe.paymentIntents.cancel('pi_1')",
            &["curl -X POST https://api.stripe.com/v1/payment_intents/pi_1/cancel -d {}"],
        ),
        (
            "new Octokit({}).pulls.merge({owner: 'a', repo: 'b', pull_number: 7})",
            &[
                r#"curl -X PUT https://api.github.com/repos/a/b/pulls/7/merge -d {"owner":"a","pull_number":"7","repo":"b"}"#,
            ],
        ),
        ("octokit.rest.issues.listForRepo({owner: 'a', repo: 'b'})", &[]),
        (
            "transport.sendMail({from: 'a@x.example', to: 'b@x.example', cc: ['c@x.example']})",
            &["sendmail b@x.example c@x.example"],
        ),
        ("app.post('/x', (req, res) => res.send('ok')); // fetch('https://a.example')", &[]),
    ] {
        if told(Language::Slashes, code) != commands {
            wrong.push(format!("{code}: {:?}", told(Language::Slashes, code)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn odd_code_is_read_in_bounded_time() {
    for code in [
        "(".repeat(60_000),
        "a(".repeat(20_000),
        "f({a:[".repeat(8_000),
        "a=".repeat(20_000),
        "'".repeat(9),
        "f\"{".to_owned(),
    ] {
        for language in [Language::Hash, Language::Slashes] {
            assert!(commands(language, &code, None).is_empty());
        }
    }
    assert!(
        commands(Language::Hash, &"requests.post('https://a.example')\n".repeat(10_000), None).is_empty(),
        "too long"
    );
}
