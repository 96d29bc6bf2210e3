import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.DefaultApi;
import org.openapitools.client.model.AnswerResponse;
import org.openapitools.client.model.AskRequest;
import org.openapitools.client.model.Policy;

/** Asks a question by the generated client: Ask URL QUESTION. */
public class Ask {
    public static void main(String[] arguments) throws ApiException {
        ApiClient client = new ApiClient().setBasePath(arguments[0]).setReadTimeout(60_000);
        client.addDefaultHeader("x-api-key", "any");
        AskRequest request = new AskRequest().question(arguments[1]).policy(new Policy().webSearch(false));
        AnswerResponse answer = new DefaultApi(client).ask(request, "one");
        System.out.println(answer.getStatus());
        System.out.println(answer.getAnswer());
        System.out.println(answer.getCitations().get(0).getDocument());
        System.out.println(answer.getReflection().getSupport().getLevel());
        System.exit(0);
    }
}
